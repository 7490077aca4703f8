const added = new Set<string>()

/** Adds the style sheet of a lazy chunk to the page: the first load does not have it. Its rules belong in `@layer screens`. */
export function addStyles(text: string): void {
  if (added.has(text)) return
  added.add(text)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
}
