import { isName } from './clauses.ts'
import type { Placed } from './clauses.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

/** The relations of a source as a caller sees them, by name. */
export type Relations = {
  /** Relations that the caller may not read. */
  readonly hidden: readonly string[]
  /** Relations of which the caller sees some rows or columns. */
  readonly scoped: readonly string[]
}

/** Names of catalogues, which contain the names, comments and statistics of all relations. */
const SYSTEM: Readonly<Record<Dialect, RegExp>> = {
  postgresql: /^(?:pg_.*|information_schema)$/,
  mysql: /^(?:information_schema|mysql|performance_schema|sys)$/,
  duckdb: /^(?:duckdb_.*|pragma_.*|sqlite_.*|pg_.*|information_schema)$/,
  sqlite: /^(?:sqlite_.*|pragma_.*|dbstat|bytecode|tables_used)$/,
}
/** Dialects that take a string for a name. */
const HAS_STRING_NAMES: ReadonlySet<Dialect> = new Set(['mysql', 'duckdb', 'sqlite'])

const refusal = (position: number, complaint: string) =>
  new TextFault(position, complaint, 'scope_unsupported_reference')

/** Refuses names of catalogues.
 * @throws {TextFault} scope_unsupported_reference */
export function refuseCatalogues(tokens: readonly Placed[], dialect: Dialect): void {
  for (const { token } of tokens) {
    if (isName(token) && SYSTEM[dialect].test(token.value.toLowerCase()))
      throw refusal(token.start, `${token.value} is a catalogue of the database`)
  }
}

/** Refuses every name that could reach rows past a scope: hidden relations, and scoped ones with a schema or as the name of a
 * common table expression.
 * @throws {TextFault} scope_unsupported_reference */
export function refuseForeignNames(
  tokens: readonly Placed[],
  dialect: Dialect,
  { hidden, scoped }: Relations,
): void {
  const isHidden = namesIn(hidden)
  const isScoped = namesIn(scoped)
  for (const place of tokens) {
    const { token } = place
    if (!isName(token) && !isStringName(place, dialect)) continue
    if (isHidden(token.value)) throw refusal(token.start, `${token.value} is not readable`)
    if (!isScoped(token.value)) continue
    if (place.after === '.')
      throw refusal(token.start, `${token.value} has a scope: write it without its schema`)
    if (isNameOfExpression(place))
      throw refusal(token.start, `${token.value} has a scope: give the expression another name`)
  }
}

const isStringName = ({ token }: Placed, dialect: Dialect) =>
  token.kind === 'string' && HAS_STRING_NAMES.has(dialect)

/** Whether the token is the name in `WITH name AS (…)`. */
function isNameOfExpression({ after, clause }: Placed): boolean {
  return clause === 'WITH' && /^(?:WITH|RECURSIVE|,)$/.test(after)
}

/** PostgreSQL cuts names to so many bytes. */
const NAME_BYTES = 63

/** The function that finds a name among these, in any case and however long it is written. */
function namesIn(names: readonly string[]): (name: string) => boolean {
  const known = new Set(names.flatMap(keysOf))
  return (name) => keysOf(name).some((key) => known.has(key))
}

/** The keys of a name. Two names that a database may take for the same one have a key in common. */
export function keysOf(name: string): readonly string[] {
  return [folded(name), folded(cut(name))]
}

// A database may fold I to ı: letters that differ in case only are one letter here.
const folded = (name: string) => name.normalize('NFKC').toUpperCase().toLowerCase()

/** A name without the bytes that PostgreSQL cuts off. It keeps no part of a character. */
function cut(name: string): string {
  const bytes = new TextEncoder().encode(name)
  if (bytes.length <= NAME_BYTES) return name
  return new TextDecoder().decode(bytes.subarray(0, NAME_BYTES), { stream: true })
}
