const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML and XML show it: no mark-up is left in it, nor what XML has no place for. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
