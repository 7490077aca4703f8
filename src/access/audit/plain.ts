/** A change in the audit trail: the fields that differ, before and after. */
export type Difference = {
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

type Fields = object | null

const SECRET = /passw|secret|token|hash|credential|apikey|(?:^|_)(?:pw|pass)$/i
const TEXT_MAX = 4_000
const MASK = '(not shown)'

/** The difference between two versions of one object; null for a new or deleted one. Possible secrets are named and
 * never shown, and what takes more than 4,000 characters is left out with its length. */
export function differenceOf(before: Fields, after: Fields): Difference {
  const [was, is] = [plain(before), plain(after)]
  if (!was || !is) return { before: was && shown(was), after: is && shown(is) }
  const names = Object.keys(is).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  const pick = (from: Record<string, unknown>) =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]))
  return { before: shown(pick(was)), after: shown(pick(is)) }
}

function plain(fields: Fields): Record<string, unknown> | null {
  // Only the JSON form is recorded: no undefined, no prototype.
  return fields && (JSON.parse(JSON.stringify(fields)) as Record<string, unknown>)
}

function shown(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const safe = withoutSecrets(name, value)
      const length = JSON.stringify(safe).length
      return [name, length > TEXT_MAX ? `(${length} characters)` : safe]
    }),
  )
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (SECRET.test(name)) return MASK
  if (Array.isArray(value)) return value.map((item) => withoutSecrets('', item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(key, inner)]))
}
