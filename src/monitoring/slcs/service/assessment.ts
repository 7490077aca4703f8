import { lengthMs } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import { commit } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { StateChange } from '../../states/propagation.ts'
import { finishTallies, insertTransitions, saveNodes } from '../../states/service.ts'
import { activeSpans } from '../active-time.ts'
import { creditOf } from '../credit.ts'
import { periodAt } from '../periods.ts'
import type { Period } from '../periods.ts'
import * as store from '../store.ts'
import type { DueSlc, Judged } from '../store.ts'
import { endPeriod, findEnded, freezePeriod } from '../store/periods.ts'
import { judge } from '../verdict.ts'
import type { SlcState, Verdict } from '../verdict.ts'
import { shownChanges, maintenanceRanges } from '../maintenance-steps.ts'
import type { ShownChange } from '../maintenance-steps.ts'
import { bareState } from '../../states/state.ts'
import { groundOf, readBadTime, readOutcome, seqsOf, within } from './used.ts'
import type { BadTime, Counting, Recorded } from './used.ts'

const JUDGED_AT_ONCE = 20
/** Histories are read from this age on; older changes are rare, and are detected by their digest. */
const SETTLED_AFTER_MS = 3_600_000
/** How long to wait for late changes of a period before it is frozen. */
const FROZEN_AFTER_MS = 300_000

/** Assesses at most twenty containers whose children have changed or that are due, and freezes past periods. Calling it
 * early or twice changes nothing. Must not run concurrently with itself.
 * @returns when the next container is due, epoch ms; null for never */
export async function assessDueSlcs({
  database,
  clock,
}: Pick<Ports, 'database' | 'clock'>): Promise<number | null> {
  const now = clock.now()
  const due = await store.readDue(database, now, JUDGED_AT_ONCE)
  const writes = await Promise.all(due.map((slc) => judgementOf(database, slc, now)))
  await commit(database, writes.flat())
  return store.readNextAt(database)
}

async function judgementOf(database: Database, slc: DueSlc, now: number): Promise<Write[]> {
  const children = await store.readCounted(database, slc.id)
  const counting = { slc, children, createdAt: slc.createdAt }
  const judgedAt = slc.judged?.at ?? slc.createdAt
  const period = periodAt(slc, judgedAt)
  const ground = await groundOf(slc, children)
  const isAgreedAnew = slc.judged !== null && slc.judged.ground !== ground
  const use = await readUse(database, counting, period, isAgreedAnew ? null : slc.judged)
  const credit = creditOf(lengthMs(activeSpans(slc.activeTime, slc.timeZone, period)), slc)
  // New terms do not change the past.
  const agreedAt = isAgreedAnew ? Math.min(now, period.endAt - 1) : slc.sinceAt
  const bare = bareState(slc.state) as SlcState
  const standing = { state: bare, judgedAt, floorAt: Math.max(slc.sinceAt, agreedAt) }
  const used = { fromAt: use.fromAt, beforeMs: use.beforeMs, spans: use.badTime.bad }
  const verdict = judge(standing, { period, credit, used }, now)
  const frozen = await freezeWrites(database, counting, now)
  return [
    ...changeWrites(database, { slc, bare, verdict, judgedAt, use, now }),
    ...endWrites(database, counting, period, verdict.untilAt),
    ...frozen.writes,
    store.saveProgress(database, {
      id: slc.id,
      judged: { at: verdict.untilAt, ground, settled: await settledOf(use, period, verdict.untilAt) },
      nextAt: Math.min(verdict.nextAt, frozen.nextAt),
      frozenUntilAt: frozen.untilAt,
    }),
    ...(slc.mark === null ? [] : [finishTallies(database, [{ objectId: slc.id, mark: slc.mark }])]),
  ]
}

/** The downtime before `fromAt`, and the bad time from there to the end of the period. */
type Use = {
  readonly fromAt: number
  readonly beforeMs: number
  readonly badTime: BadTime
  readonly recorded: Recorded
}

async function readUse(
  database: Database,
  counting: Counting,
  period: Period,
  judged: Judged | null,
): Promise<Use> {
  const { settled } = judged ?? { settled: null }
  if (settled?.beginAt === period.beginAt) {
    const read = await readBadTime(database, counting, { beginAt: settled.at, endAt: period.endAt })
    const isSo = (await seqsOf(read.recorded, settled.at)) === settled.seqs
    if (isSo) return { fromAt: settled.at, beforeMs: settled.usedMs, ...read }
  }
  return { fromAt: period.beginAt, beforeMs: 0, ...(await readBadTime(database, counting, period)) }
}

async function settledOf(use: Use, period: Period, untilAt: number): Promise<Judged['settled']> {
  if (untilAt === period.endAt) return null
  const at = Math.max(use.fromAt, untilAt - SETTLED_AFTER_MS)
  const usedMs = use.beforeMs + lengthMs(within(use.badTime.bad, { beginAt: use.fromAt, endAt: at }))
  return { beginAt: period.beginAt, at, usedMs, seqs: await seqsOf(use.recorded, at) }
}

type DueAssessment = Counting & { readonly slc: DueSlc }

type Judgement = {
  readonly slc: DueSlc
  /** The state of the credit until now. */
  readonly bare: SlcState
  readonly verdict: Verdict
  readonly judgedAt: number
  readonly use: Use
  readonly now: number
}

function changeWrites(database: Database, judgement: Judgement): Write[] {
  const { slc, bare, verdict, judgedAt, use, now } = judgement
  const ranges = maintenanceRanges(use.recorded.steps, 'maintained')
  const shown = { state: slc.state, bare, floorAt: slc.sinceAt }
  const found = shownChanges(shown, verdict.changes, { ranges, judgedAt, untilAt: verdict.untilAt })
  const last = found.at(-1)
  if (!last) return []
  const changes = found.map((change, index): StateChange => ({
    ...change,
    objectId: slc.id,
    seq: slc.seq + index + 1,
    detectedAt: now,
    errorCode: 0,
    message: null,
    silentSinceAt: null,
    causeId: causeOf(change, use.badTime),
  }))
  const { id, maintained, slaState } = slc
  const node = { id, seq: slc.seq + changes.length, state: last.to, sinceAt: last.at }
  return [
    insertTransitions(database, changes),
    saveNodes(database, [
      { ...node, heard: null, maintained, flapping: false, tally: null, moment: null, slaState },
    ]),
  ]
}

/** The child that was bad at a change; the first one of several. */
function causeOf({ at, reason }: ShownChange, { byChild }: BadTime): number | null {
  if (reason !== 'child') return null
  const isBad = (bad: readonly Range[]) => bad.some(({ beginAt, endAt }) => beginAt < at && at <= endAt)
  return byChild.find(({ bad }) => isBad(bad))?.id ?? null
}

/** Stores the terms at the end of a period: the period will be frozen with them. */
function endWrites(
  database: Database,
  { slc, children }: DueAssessment,
  period: Period,
  untilAt: number,
): Write[] {
  if (untilAt < period.endAt) return []
  const { limit, target, warnAt, activeTime } = slc
  return [endPeriod(database, slc.id, { ...period, terms: { limit, target, warnAt, activeTime, children } })]
}

/** Freezes the oldest past period that is not frozen yet, if there is one. */
async function freezeWrites(database: Database, { slc }: DueAssessment, now: number) {
  const period = periodAt(slc, slc.frozenUntilAt)
  const dueAt = period.endAt + FROZEN_AFTER_MS
  const ended = now < dueAt ? null : await findEnded(database, slc.id, period.endAt)
  if (!ended) return { writes: [], untilAt: slc.frozenUntilAt, nextAt: dueAt }
  const outcome = await readOutcome(database, slc, ended)
  return {
    writes: [freezePeriod(database, ended.id, { ...outcome, createdAt: now })],
    untilAt: period.endAt,
    nextAt: periodAt(slc, period.endAt).endAt + FROZEN_AFTER_MS,
  }
}
