type Index = { readonly columns: readonly string[]; readonly unique: boolean }

/** Indexes as a line of text: `;` is between them, `+` between columns, and `!` marks a unique one. */
export function textOfIndexes(indexes: readonly Index[]): string {
  return indexes.map(({ columns, unique }) => columns.join('+') + (unique ? '!' : '')).join('; ')
}

/** The indexes of such a line. */
export function indexesOf(text: string): readonly { columns: string[]; unique: boolean }[] {
  return text.split(';').flatMap((part) => {
    const unique = part.trim().endsWith('!')
    const columns = part
      .replace(/!\s*$/, '')
      .split('+')
      .flatMap((name) => name.trim() || [])
    return columns.length === 0 ? [] : [{ columns, unique }]
  })
}
