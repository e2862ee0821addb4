/** In the page: the texts whose contrast with what is behind them is less than 4.5 (WCAG AA). */
export function faint(): string[] {
  type Colour = [red: number, green: number, blue: number, alpha: number];
  /** Red, green and blue from 0 to 1, and how much hides what is behind. */
  const parse = (text: string): Colour => {
    const [r = 0, g = 0, b = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    const scale = text.startsWith("color(") ? 1 : 255;
    return [r / scale, g / scale, b / scale, alpha];
  };
  const luminance = (colour: Colour) => {
    const [r = 0, g = 0, b = 0] = colour.map((share) =>
      share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element | null): Colour => {
    if (!element) return [1, 1, 1, 1];
    const colour = parse(getComputedStyle(element).backgroundColor);
    const alpha = colour[3];
    if (alpha === 1) return colour;
    const below = behind(element.parentElement);
    const mix = (at: 0 | 1 | 2) => alpha * colour[at] + (1 - alpha) * below[at];
    return [mix(0), mix(1), mix(2), 1];
  };
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.checkVisibility())
    .filter(({ childNodes }) =>
      [...childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
    )
    .filter((element) => {
      const pair = [luminance(parse(getComputedStyle(element).color)), luminance(behind(element))];
      return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) < 4.5;
    })
    .map(({ textContent }) => textContent);
}
