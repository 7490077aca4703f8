import { Mutex } from './lib/mutex.ts'
import { advanceAlarms, raiseAlarms, deleteOldChanges } from './monitoring/alarms/service.ts'
import { makeNotices } from './monitoring/notifications/outbox/service.ts'
import { advanceMaintenance, reviewSlice, reviewUrgent } from './monitoring/revaluations/service.ts'
import type { Advanced } from './monitoring/revaluations/service.ts'
import { assessDueSlcs } from './monitoring/slcs/service.ts'
import { updateMemberships } from './monitoring/slos/membership/service.ts'
import { recountTallies, recordTransitions, correctTallies } from './monitoring/states/service.ts'
import type { Events } from './ports/events.ts'
import type { StatePipeline } from './ports/flow.ts'
import type { Ports } from './ports/index.ts'
import type { Transition } from './domain/transition.ts'

const TRANSITIONS_AT_ONCE = 1_000
const JUDGED_IN_A_ROW = 5
const SLICES_IN_A_ROW = 10

/** The pipeline as its host sees it. */
export type OpenStatePipeline = StatePipeline & {
  /** When it is to be settled next, epoch ms: early or twice does no harm, and late is dated as if it were in time. */
  readonly nextAt: number
}

/** The parts of a pipeline; without `events` its commits are not published. */
type PipelinePorts = Pick<Ports, 'database' | 'clock' | 'log'> & {
  readonly events?: Pick<Events, 'committed'>
}

/** Runs one step at a time and then publishes the events of its commits, also after a failure. */
function stepsOf(events: PipelinePorts['events']) {
  const lock = new Mutex()
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    try {
      return await lock.run(task)
    } finally {
      await events?.committed()
    }
  }
}

/** Collects calls during a running step and processes them together.
 * @param carryOn asks for what there is when its turn has come */
function gathering(
  carryOn: (transitions: () => readonly Transition[]) => Promise<void>,
): StatePipeline['apply'] {
  let waiting: { readonly transitions: Transition[]; readonly carried: Promise<void> } | null = null
  return (told) => {
    if (!waiting) {
      const transitions: Transition[] = []
      const carried = carryOn(() => {
        waiting = null
        return transitions
      })
      waiting = { transitions, carried }
    }
    for (const transition of told) waiting.transitions.push(transition)
    return waiting.carried
  }
}

/** The consequences of changed states, top to bottom, one after the other. Changes that arrive during a step
 * are processed together.
 * @param onNotices called when there may be something to send */
export function openStatePipeline(ports: PipelinePorts, onNotices: () => void = () => {}): OpenStatePipeline {
  const step = stepsOf(ports.events)
  const maintenance = openMaintenance(ports)
  // Nothing is known yet of which container is judged or alarm changed next.
  let judgedAt = 0
  let alarmsAt = 0

  async function carryOn(transitions: readonly Transition[]): Promise<void> {
    const now = ports.clock.now()
    // A sender's clock may be ahead of ours.
    const instants = transitions.map(({ at }) => Math.min(at, now))
    for (let from = 0; from < transitions.length;) {
      const at = instants[from] ?? now
      // Earlier planned changes come first, also when their wake-up was missed.
      const isPlanned = at >= maintenance.plannedAt
      if (isPlanned) await maintenance.advance(at)
      const due = instants.findIndex((later, index) => index > from && later >= maintenance.plannedAt)
      const until = Math.min(due === -1 ? transitions.length : due, from + TRANSITIONS_AT_ONCE)
      const some = transitions.slice(from, until)
      await maintenance.reviewBefore(some)
      const { hasSlo } = await recordTransitions(ports, some)
      if (hasSlo || isPlanned) await judge()
      from = until
    }
    // Each change was kept with a note that no alarm was made of it yet: what ends before this is made up for.
    alarmsAt = await raiseAlarms(ports)
    if (await makeNotices(ports)) onNotices()
  }

  async function bringUpToDate(): Promise<void> {
    await updateMemberships(ports)
    await recountTallies(ports)
    await maintenance.advance(ports.clock.now())
  }

  /** Containers come after everything that they are made of. */
  async function judge(): Promise<{ readonly isMoreDue: boolean }> {
    judgedAt = (await assessDueSlcs(ports)) ?? Infinity
    return { isMoreDue: judgedAt <= ports.clock.now() }
  }

  return {
    apply: gathering((transitions) => step(() => carryOn(transitions()))),
    async runDue() {
      await step(bringUpToDate)
      await maintenance.reviewInTurns(step)
      // A few at a time: at midnight many periods end, and deliveries do not wait for all of them. Nor does the caller,
      // whose host may bound its statements: the next wake-up continues.
      for (let judged = 0; judged < JUDGED_IN_A_ROW; judged++) {
        if (!(await step(judge)).isMoreDue) break
      }
      await step(async () => {
        alarmsAt = await advanceAlarms(ports)
        await makeNotices(ports)
      })
      // The caller may have changed the queue.
      onNotices()
    },
    sweep: (afterId) => step(() => sweepSome(ports, afterId, judge)),
    get nextAt() {
      return maintenance.isReviewing ? 0 : Math.min(maintenance.plannedAt, judgedAt, alarmsAt)
    },
  }
}

/** Corrects some parents, and then judges the containers above the corrected ones. The last ones also remove
 * old changes. */
async function sweepSome(
  ports: Pick<Ports, 'database' | 'clock' | 'log'>,
  afterId: number,
  judge: () => Promise<unknown>,
): Promise<number | null> {
  const next = await correctTallies(ports, afterId)
  await judge()
  if (next === null) await deleteOldChanges(ports.database, ports.clock.now())
  return next
}

/** The known maintenance: its next begin or end, and whether objects have still to enter or leave one that
 * began or ended. */
function openMaintenance(ports: Pick<Ports, 'database' | 'clock'>) {
  // The plan is not loaded yet.
  let known: Advanced = { nextAt: 0, isPending: false }
  return {
    get plannedAt() {
      return known.nextAt
    },
    get isReviewing() {
      return known.isPending
    },
    async advance(until: number): Promise<void> {
      known = await advanceMaintenance(ports, until)
    },
    /** Objects enter or leave maintenance before they change. */
    async reviewBefore(transitions: readonly Transition[]): Promise<void> {
      if (!known.isPending) return
      await reviewUrgent(ports, [...new Set(transitions.map(({ objectId }) => objectId))])
    },
    /** Some slices of the remaining work, each in a turn of its own. */
    async reviewInTurns(turn: (slice: () => Promise<void>) => Promise<void>): Promise<void> {
      const slice = async () => {
        known = { ...known, isPending: await reviewSlice(ports) }
      }
      for (let count = 0; known.isPending && count < SLICES_IN_A_ROW; count++) await turn(slice)
    },
  }
}

/** Compares every parent with the state that follows from its children. Changes meanwhile get their turn after a few parents each. */
export async function sweepAll({ flow, log }: Pick<Ports, 'flow' | 'log'>): Promise<void> {
  for (let after: number | null = 0; after !== null;) after = await flow.sweep(after)
  // Alarms follow the corrections.
  await flow.runDue()
  log.info('state pipeline: all states were compared with the states of their children')
}
