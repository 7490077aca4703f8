import type { Answer, Item } from '../../api/client.ts'

export type Restored = Answer<'/backups/restore', 'post'>

/** The tables whose rows people count, by what the rows are. */
const KINDS = {
  objects: ['objects'],
  users: ['users'],
  alarms: ['alarms'],
  maintenance: ['revaluations'],
  scripts: ['scripts'],
} as const
type Kind = keyof typeof KINDS

/** How many objects, users and so on the installation has before and after a restore. */
export function tablesOf({ tables }: Pick<Restored, 'tables'>): readonly {
  readonly kind: Kind
  readonly before: number
  readonly after: number
}[] {
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
    const found = tables.filter(({ name }) => (KINDS[kind] as readonly string[]).includes(name))
    if (found.length === 0) return []
    const sum = (column: 'rows' | 'rowsBefore'): number => found.reduce((all, one) => all + one[column], 0)
    return [{ kind, before: sum('rowsBefore'), after: sum('rows') }]
  })
}

type Entry = Item<'/audit'>
/** An object that was deleted, as the audit log knows it. */
export type Deleted = {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly at: string
  readonly username: string
}

const TYPES = ['group', 'device', 'job', 'slo', 'slc']

/** The deleted objects of entries of the audit log, latest first, each once.
 * @param since only what was deleted after this time; null for all */
export function deletedIn(entries: readonly Entry[], since: string | null): readonly Deleted[] {
  const found = new Map<number, Deleted>()
  for (const { at, objectType, objectId, username, before } of entries) {
    const id = Number(objectId)
    const isLater = since === null || Date.parse(at) > Date.parse(since)
    if (!TYPES.includes(objectType) || !isLater || found.has(id)) continue
    const name = before?.['name']
    const known = typeof name === 'string' ? name : `#${objectId}`
    found.set(id, { id, type: objectType, name: known, at, username })
  }
  return [...found.values()]
}

/** The ids in a text, such as `7, 8`; null for a text with anything else. */
export function idsIn(text: string): readonly number[] | null {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  return words.every((word) => /^[1-9]\d{0,14}$/.test(word)) ? words.map(Number) : null
}
