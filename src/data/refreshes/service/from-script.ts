import type { Context } from '../../../context.ts'
import type { FileContents, PlannedColumn } from '../../../domain/import-plan.ts'
import { passed } from '../../../lib/abort.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { OrderedRun, RunOutput } from '../../../ports/scripts.ts'
import { inspectBlob } from '../../imports/service.ts'
import type { ScriptOrigin } from '../store.ts'
import { READ_SHARE } from './filling.ts'
import type { Course, Filling, FillRows } from './filling.ts'

/** The pause between two reads of the state of a run; it grows with the duration. */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [200, 5_000]

/** Runs a script and opens the file that it leaves.
 * @throws {Refusal} import_failed for a run without success, and for a file that does not have the columns; the refusals of
 * the ports `scripts` and `tables` */
export async function openScriptRows(
  { ports }: Context,
  origin: ScriptOrigin,
  { limits, key }: Filling,
  { signal, progress }: Course,
): Promise<FillRows> {
  const { blob } = await outputOf(ports, origin, { key, signal })
  const { file, contents } = await inspectBlob(ports, blob, origin, {
    signal,
    progress: (share) => progress(share * READ_SHARE),
  })
  const columns = plannedOf(origin, contents)
  const plan = {
    file,
    values: origin.values,
    columns,
    onError: 'abort',
    faultsMax: 0,
    plain: contents.plain,
  } as const
  return async (to) => {
    const { rows } = await ports.tables.load({ to, blob, plan }, signal, (share) =>
      progress(READ_SHARE + share * (1 - READ_SHARE)),
    )
    if (rows <= limits.rowsMax) return rows
    throw new Refusal('query_too_large', `The file has ${rows} rows; a refresh may have ${limits.rowsMax}.`)
  }
}

type Attempt = { readonly key: string; readonly signal: AbortSignal }

async function outputOf(
  ports: Ports,
  { scriptId, runConfigurationId, userId, output }: ScriptOrigin,
  { key, signal }: Attempt,
): Promise<RunOutput> {
  const id = await ports.scripts.order({
    scriptId,
    runConfigurationId,
    userId,
    userLabel: 'The user who defined this refresh',
    parameters: {},
    trigger: 'dataSource',
    // Callers' own keys have no space, so these cannot be the same.
    key: `refresh ${key}`,
  })
  const { state, error, outputs } = await endOf(ports, id, signal)
  if (state !== 'succeeded')
    throw new Refusal('import_failed', `The run ${id} ended as ${state}. ${error ?? ''}`.trim())
  const found = outputs.find(({ name }) => name === output)
  if (found && found.sizeBytes > 0) return found
  const names = outputs.map(({ name }) => name).join(', ')
  throw new Refusal(
    'import_failed',
    found
      ? `The file ${output} of the run ${id} is empty.`
      : `The run ${id} left no file ${output}, but ${names || 'none'}. The log of the run has the reason for each file that was not uploaded.`,
  )
}

/** Waits for the end of a run; it is cancelled where the signal fires before. */
async function endOf(ports: Ports, id: string, signal: AbortSignal): Promise<OrderedRun> {
  for (let waitMs = PAUSE_MIN_MS; ; waitMs = Math.min(PAUSE_MAX_MS, waitMs * 2)) {
    const run = await ports.scripts.run(id)
    if (!run) throw new Refusal('import_failed', `The run ${id} was deleted before its end.`)
    if (run.isEnded) return run
    await passed(waitMs, signal)
    if (!signal.aborted) continue
    await ports.scripts.cancel(id)
    signal.throwIfAborted()
  }
}

/** @throws {Refusal} import_failed for a column that the file has not */
function plannedOf({ columns, output }: ScriptOrigin, contents: FileContents): PlannedColumn[] {
  return columns.map(({ source, name, type }) => {
    const found = contents.columns.find((column) => column.name === source)
    if (found) return { name, type, source: found.source }
    const names = contents.columns.map((column) => column.name).join(', ')
    throw new Refusal(
      'import_failed',
      `The file ${output} has no column ${source}; it has ${names || 'none'}.`,
    )
  })
}
