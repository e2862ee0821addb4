"use client";

import { useEffect } from "react";

import { check } from "../../check.js";
import inputs from "../../public/inputs.json";

export default function Page() {
  useEffect(() => {
    check(inputs).then((outcome) => (document.title = JSON.stringify(outcome)));
  }, []);
  return <p>verifying</p>;
}
