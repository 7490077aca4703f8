/** Some characters take four bytes: so a parameter has less than a megabyte. */
const PARAMETER_CHARACTERS = 200_000

/** Rows as JSON arrays for `json_each`, each of which is a parameter. */
export function jsonRows(rows: readonly object[]): string[] {
  const found: string[][] = []
  let characters = Infinity
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (characters + text.length > PARAMETER_CHARACTERS) {
      found.push([])
      characters = 0
    }
    found.at(-1)?.push(text)
    characters += text.length
  }
  return found.map((texts) => `[${texts.join(',')}]`)
}
