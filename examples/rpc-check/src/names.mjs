// The names of sources.

/**
 * What is printed of sources: of a URL the origin, since its path may be a key; several of one origin are numbered by
 * their places in the list.
 */
export function namesOf(sources) {
  const places = sources.map((source) => {
    if (!/^https?:/.test(source)) return source;
    try {
      const { protocol, host } = new URL(source);
      return `${protocol}//${host}`;
    } catch {
      return "no URL";
    }
  });
  return places.map((place, index) =>
    places.filter((other) => other === place).length > 1 ? `${place} (source ${index + 1})` : place,
  );
}
