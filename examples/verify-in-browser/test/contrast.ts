/** In the page: the texts whose contrast with what is behind them is less than 4.5 (WCAG AA). */
export function faint(): string[] {
  const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = channels(colour).map((channel) => {
      const share = channel / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element | null): string => {
    const colour = element ? getComputedStyle(element).backgroundColor : "rgb(255, 255, 255)";
    return element && channels(colour)[3] === 0 ? behind(element.parentElement) : colour;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.checkVisibility())
    .filter(({ childNodes }) =>
      [...childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
    )
    .filter((element) => {
      const pair = [luminance(getComputedStyle(element).color), luminance(behind(element))];
      return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) < 4.5;
    })
    .map(({ textContent }) => textContent);
}
