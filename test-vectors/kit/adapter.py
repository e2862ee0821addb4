"""The Python verifier of this repository behind the conformance kit."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from prooflight_vectors.errors import Refusal
from prooflight_vectors.groups import verifier_of



def integer(digits):
    # An input may have an integer of any size, but Python refuses to convert very long ones.
    return int(digits) if len(digits) <= 20 else float(digits)


for line in sys.stdin:
    question = json.loads(line, parse_int=integer)
    verify = verifier_of(question["type"], question["input"])
    try:
        answer = {"valid": verify(question["input"])} if verify else {"unsupported": True}
    except Refusal as refusal:
        answer = {"invalid": {"code": refusal.code, "reason": refusal.reason}}
    print(json.dumps({"id": question["id"], **answer}), flush=True)
