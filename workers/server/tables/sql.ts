/** A name in quotes, as DuckDB reads it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as a literal of DuckDB. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
