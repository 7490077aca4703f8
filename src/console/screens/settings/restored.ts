import type { Answer } from '../../api/client.ts'

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
