import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { TEMPLATE_MAX } from '../../../templates/limits.ts'
import { renamedIn } from '../../../templates/references.ts'
import { keyOf } from '../references.ts'
import { deletedResults } from '../results/service.ts'
import type { DependentView } from '../schema.ts'
import { parsedText } from '../statement.ts'
import * as store from '../store.ts'
import type { QueryRow } from '../store.ts'

const recorded = recorder('dataQuery')

const SHOWN_MAX = 100
const RENAMED_MAX = 200

/** The data queries that refer to a data query, by name. @throws {Refusal} not_found */
export async function listDependents({ ports }: Context, id: number): Promise<DependentView[]> {
  const row = await store.findQuery(ports.database, id)
  if (!row) throw noSuch('data query')
  const dependents = await store.listDependents(ports.database, { ids: [id], keys: [keyOf(row.name)] })
  return dependents.map(({ id: other, name, draft, published }) => ({ id: other, name, draft, published }))
}

/** The keys of the names to which a text refers; none while it is not a template. */
export function referencedKeys(text: string): readonly string[] {
  const calls = parsedText(text).template?.references().calls ?? []
  return calls.map(({ name }) => keyOf(name))
}

/** The writes that delete data queries. Unless it is forced, the batch fails as `isReferredTo` recognises while others refer
 * to them. */
export function deletionWrites(
  ports: Ports,
  deleted: { readonly ids: readonly number[]; readonly keys: readonly string[] },
  options: { readonly isForced: boolean },
): Write[] {
  return [...deletedResults(ports, deleted.ids), ...store.deleteQueries(ports.database, deleted, options)]
}

export function isReferredTo(error: unknown): boolean {
  return store.isGuarded(error)
}

/** The refusal of deleting data queries to which others refer. */
export async function hasDependents(
  { database }: Ports,
  rows: readonly Pick<QueryRow, 'id' | 'name'>[],
): Promise<Refusal> {
  const deleted = new Set(rows.map(({ id }) => id))
  const targets = { ids: rows.map(({ id }) => id), keys: rows.map(({ name }) => keyOf(name)) }
  const others = (await store.listDependents(database, targets)).filter(({ id }) => !deleted.has(id))
  const errors = others.slice(0, SHOWN_MAX).map(({ id, name }, index) => ({
    pointer: `/dependents/${index}`,
    message: `the data query ${id}, ${name}`,
  }))
  const detail = `${others.length} data queries refer to it; see errors. Change these first, or pass forceDelete=true.`
  return new Refusal('has_dependents', detail, errors)
}

/** The writes that make drafts and published versions refer to a data query by its new name. The batch fails as
 * `isGuarded` recognises if one of them was changed meanwhile.
 * @throws {Refusal} conflict for too many or too long texts, precondition_failed */
export async function renameWrites(
  context: Context,
  before: Pick<QueryRow, 'id' | 'name'>,
  to: string,
): Promise<Write[]> {
  const { database } = context.ports
  const from = keyOf(before.name)
  const dependents = await store.listDependents(database, { ids: [], keys: [from] })
  if (dependents.length > RENAMED_MAX)
    throw new Refusal(
      'conflict',
      `More than ${RENAMED_MAX} data queries refer to this one: it cannot be renamed.`,
    )
  const texts = await store.listTexts(
    database,
    dependents.map(({ id }) => id),
  )
  const count = dependents.reduce((sum, { draft, published }) => sum + Number(draft) + Number(published), 0)
  return [
    ...texts.flatMap((row) => rewritten(context, row, { before, to })),
    ...store.renameReferences(database, before.id, { from, to: keyOf(to), count }),
  ]
}

type Texts = Awaited<ReturnType<typeof store.listTexts>>[number]
type Renaming = { readonly before: Pick<QueryRow, 'id' | 'name'>; readonly to: string }

function rewritten(context: Context, row: Texts, { before, to }: Renaming): Write[] {
  const { database, clock } = context.ports
  const draft = renamed(row.draft, before.name, to)
  const text = row.text === null ? null : renamed(row.text, before.name, to)
  const version =
    text === null || text === row.text
      ? []
      : [store.updateVersionText(database, { queryId: row.id, number: row.published }, text)]
  // The write of the data query itself has its draft.
  if (row.id === before.id) return version
  const told = {
    objectId: row.id,
    before: { text: row.draft, publishedText: row.text },
    after: { text: draft, publishedText: text },
  }
  return [
    store.updateQuery(database, row, { text: draft, updatedAt: clock.now() }),
    ...version,
    recorded(context, 'rename reference', told),
  ]
}

function renamed(text: string, from: string, to: string): string {
  const { template } = parsedText(text)
  if (!template) return text
  const key = keyOf(from)
  const result = renamedIn(text, template.references(), { matches: (name) => keyOf(name) === key, to })
  if (result.length <= TEMPLATE_MAX) return result
  throw new Refusal('conflict', 'A text would be too long with the new name. Choose a shorter one.')
}
