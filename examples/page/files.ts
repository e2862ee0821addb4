// Files that are dropped on a page or chosen.

/** Calls back with each file that is dropped anywhere on the page, or chosen with `input`. */
export function onFile(input: HTMLInputElement, listener: (file: File) => void): void {
  const dragging = (on: boolean) => document.body.classList.toggle("dragging", on);
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) listener(file);
    input.value = ""; // or choosing the same file again would change nothing
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    dragging(event.dataTransfer?.types.includes("Files") ?? false);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) dragging(false); // has left the page, not only an element
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    dragging(false);
    const file = event.dataTransfer?.files[0];
    if (file) listener(file);
  });
}
