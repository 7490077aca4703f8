/** Items as JSON arrays of at most so many characters. An item that is longer stands alone. */
export function jsonParts(items: readonly unknown[], charactersMax: number): string[] {
  const parts: string[][] = []
  let length = Infinity
  for (const item of items) {
    const text = JSON.stringify(item)
    length += text.length + 1
    if (length > charactersMax) {
      parts.push([])
      length = text.length + 2
    }
    parts.at(-1)?.push(text)
  }
  return parts.map((part) => `[${part.join(',')}]`)
}
