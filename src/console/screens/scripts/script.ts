import type { Answer } from '../../api/client.ts'
import { durationText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

type Of<L> = L extends readonly (infer I)[] ? I : never
export type Script = Answer<'/scripts/{script}'>
export type Run = Answer<'/scripts/{script}/jobs/{jobId}'>
export type RunState = Run['state']
export type ScriptFile = Of<Answer<'/scripts/{script}/files'>>
export type Configuration = Of<Answer<'/scripts/{script}/runConfigurations'>>
export type Schedule = Of<Answer<'/scripts/{script}/scheduleConfigurations'>>
export type WebhookToken = Of<Answer<'/scripts/{script}/webhookTokens'>>
export type Group = Of<Answer<'/scripts/groups'>>

const ENDS: readonly RunState[] = ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost']

/** Whether a run goes on or waits. A lost run can still be repeated by its `retries`. */
export const isActive = ({ state }: Pick<Run, 'state'>): boolean => !ENDS.includes(state)

/** The title of a run: its arguments, in quotes where a space is in one; else its run configuration. */
export function runTitle({
  arguments: given,
  runConfiguration,
}: Pick<Run, 'arguments' | 'runConfiguration'>): string {
  if (!given?.length) return t('scripts.runOf', { name: runConfiguration })
  return given.map((one) => (one === '' || /\s/.test(one) ? `"${one}"` : one)).join(' ')
}

/** The state of a run as a sentence. */
export function runSentence(run: Run, now: number): string {
  const { state, queuedAt, startedAt, durationMs, exitCode, waitingFor, progress } = run
  const values = {
    name: run.runConfiguration,
    duration: durationText(durationMs ?? now - Date.parse(startedAt ?? queuedAt)),
    code: exitCode ?? 0,
    message: progress.message ?? '',
  }
  if (state === 'queued' && waitingFor !== null) return t('scripts.say.queuedFor', values)
  if (state === 'running' && progress.message) return t('scripts.say.runningWith', values)
  if (state === 'failed' && exitCode === null) return t('scripts.say.failedAlone', values)
  return t(`scripts.say.${state}`, values)
}

/** The state of the runs of one script: those that go on now, else the end of the latest one.
 * @param runs latest first */
export function runsSentence(runs: readonly Run[], now: number): string {
  const active = runs.filter(isActive).length
  const [latest] = runs
  if (latest === undefined) return t('scripts.say.never')
  if (active > 1) return t('scripts.say.active', { count: active })
  return runSentence(latest, now)
}

/** The objects that use a script, by kind and name; the last text counts those that the service does not list. */
export function dependentTexts({
  count,
  widgets,
  dataSources,
  alarmRecipients,
}: Script['dependents']): readonly string[] {
  const named = [
    ...widgets.map(({ name }) => t('scripts.dependent.widget', { name })),
    ...dataSources.map(({ name }) => t('scripts.dependent.dataSource', { name })),
    ...alarmRecipients.map(({ name }) => t('scripts.dependent.alarmRecipient', { name })),
  ]
  return count > named.length
    ? [...named, t('scripts.dependent.more', { count: count - named.length })]
    : named
}

const TYPES_SHOWN = 6

/** A few types of files by name, many by their number. */
export function typesText(types: readonly string[]): string {
  if (types.length > TYPES_SHOWN) return t('scripts.types', { count: types.length })
  return types.join(', ') || '–'
}

/** How many scripts there are, in how many groups. */
export function listSentence(scripts: readonly Pick<Script, 'groupId' | 'warnings'>[]): string {
  const unfit = scripts.filter(({ warnings }) => warnings.length > 0).length
  const counts = t('scripts.say.list', {
    count: scripts.length,
    groups: new Set(scripts.map(({ groupId }) => groupId)).size,
  })
  return unfit === 0 ? counts : `${counts} ${t('scripts.say.unfit', { count: unfit })}`
}
