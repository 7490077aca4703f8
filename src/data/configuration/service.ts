import type { Context } from '../../context.ts'
import { changeWithRetry } from '../../http/preconditions.ts'
import { invalidAt, Refusal } from '../../lib/errors.ts'
import { commitAndRead, isForeignKeyViolation, onlyOf } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import { exportScopes, importScopes } from '../scopes/service/transfer.ts'
import { writeSources } from '../sources/service.ts'
import { exportSources, findSource, importSource, selectSource } from '../sources/service/transfer.ts'
import type { ExportView, ImportBody, ImportView } from './schema.ts'

export const CONFIGURATION_MAX_BYTES = 16 * 1024 * 1024
/** An export can be imported, also with passwords and in an indented form. */
const EXPORT_MAX_BYTES = CONFIGURATION_MAX_BYTES / 2

/** The configuration of data sources, by name and without passwords. @param ids of some of them; all if absent
 * @throws {Refusal} invalid for unknown ids, and for more than an import takes */
export async function exportConfiguration(
  { ports }: Context,
  ids: readonly number[] | undefined,
): Promise<ExportView> {
  const dataSources: ExportView['dataSources'] = []
  let bytes = 0
  for await (const { id, notes, ...source } of exportSources(ports, ids)) {
    const exported = { ...source, notes: [...notes], scopes: await exportScopes(ports, id) }
    bytes += new TextEncoder().encode(JSON.stringify(exported)).byteLength
    if (bytes > EXPORT_MAX_BYTES)
      throw invalidAt('/ids', `must select at most ${EXPORT_MAX_BYTES} bytes of configuration`)
    dataSources.push(exported)
  }
  return { format: 1, dataSources }
}

/** Makes data sources as they were exported, or replaces data sources of the same names, all in one commit.
 * @throws {Refusal} name_taken unless they are replaced, has_dependents for another type while data queries read one, conflict
 * when there are 200 */
export async function importConfiguration(
  context: Context,
  { dataSources }: ImportBody,
  { isOverwriting }: { readonly isOverwriting: boolean },
): Promise<ImportView> {
  const { ports } = context
  // A data source that is replaced may change meanwhile.
  const items = await changeWithRetry(null, async () => {
    const steps = await stepsOf(context, dataSources)
    if (!isOverwriting) refuseTaken(steps)
    const ids = await commitSteps(ports.database, steps)
    return steps.map(({ outcome }, place) => ({ id: ids[place] ?? 0, ...outcome }))
  })
  return { items }
}

type Step = {
  readonly writes: readonly Write[]
  readonly outcome: Omit<ImportView['items'][number], 'id'>
}

/** The import of each data source. */
async function stepsOf(context: Context, dataSources: ImportBody['dataSources']): Promise<Step[]> {
  const steps: Step[] = []
  for (const { scopes, ...incoming } of dataSources) {
    const { name, connection } = incoming.settings
    const before = await findSource(context.ports, name)
    const own = await importSource(context, incoming, before)
    const scoped = await importScopes(context, scopes, { id: before?.id ?? null, source: own.source })
    steps.push({
      writes: [...own.writes, ...scoped.writes],
      outcome: {
        name,
        action: before ? 'overwritten' : 'created',
        missingPassword: connection?.passwordSet === true && !own.hasPassword,
        missingSubjects: [...scoped.missing],
      },
    })
  }
  return steps
}

/** @throws {Refusal} name_taken */
function refuseTaken(steps: readonly Step[]): void {
  const taken = steps.flatMap(({ outcome }, place) =>
    outcome.action === 'overwritten'
      ? [{ pointer: `/dataSources/${place}/settings/name`, message: 'is already used' }]
      : [],
  )
  const detail = 'Data sources with these names exist; see errors. Pass overwrite=true to replace them.'
  if (taken.length > 0) throw new Refusal('name_taken', detail, taken)
}

/** @returns the id of the data source of each step */
async function commitSteps(database: Database, steps: readonly Step[]): Promise<readonly number[]> {
  const writes = steps.flatMap((step) => step.writes)
  const reads = steps.map(({ outcome }) => selectSource(database, outcome.name))
  try {
    const rows = await writeSources(() => commitAndRead(database, writes, reads))
    return rows.map((found) => onlyOf(found).id)
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('conflict', 'A user or a user group was just deleted. Import again.')
  }
}
