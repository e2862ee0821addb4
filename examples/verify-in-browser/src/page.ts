// Shared by both pages: groups of buttons.

import { element } from "./format.js";

/** A button for one of several choices. */
export function choice<T>(
  label: (string | Node)[],
  item: T,
  choose: (item: T) => void,
): HTMLButtonElement {
  const button = element("button", label);
  button.type = "button";
  button.ariaPressed = "false";
  button.addEventListener("click", () => {
    press(button.parentElement, button);
    choose(item);
  });
  return button;
}

/** Marks one button of a group as chosen; none if it is undefined. */
export function press(group: Element | null, pressed: Element | undefined): void {
  for (const button of group?.children ?? []) button.ariaPressed = String(button === pressed);
}
