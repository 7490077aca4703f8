import { expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import { BEGIN_AT, deliveryWith, rulesWith } from './rules.ts'
import { step } from '../../src/monitoring/jobs/actor.ts'
import type { ActorState, Event } from '../../src/monitoring/jobs/actor.ts'

setDefaultTimeout(180_000)
const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 1_000)
const TIMEOUT_MS = 20_000
const LOOK_MS = 250
const STALL_MS = 500
const HOUR_MS = 3_600_000

/** A job on a running host, which looks at the clock four times a second. `passedMs` is the time that has truly passed. */
class Running {
  passedMs = 0
  #offsetMs = BEGIN_AT
  #knownOffsetMs = BEGIN_AT
  #latestAt = BEGIN_AT
  #lookedAt = BEGIN_AT
  #state: ActorState
  readonly #isBlind: boolean

  /** A blind host tells the job of no set-back. */
  constructor(isBlind: boolean) {
    const rules = rulesWith({ timeoutMs: TIMEOUT_MS })
    this.#state = step(null, { kind: 'configure', jobId: 1, rules }, BEGIN_AT).state
    this.#isBlind = isBlind
  }

  get isSilent(): boolean {
    return this.#state.errorCode === 5
  }

  set(byMs: number): void {
    this.#offsetMs += byMs
  }

  deliver(): void {
    const now = this.#read()
    this.#tell({ kind: 'deliver', delivery: deliveryWith({ errorCode: 0 }) }, now)
  }

  look(): void {
    const now = this.#read()
    const fromAt = this.#lookedAt
    const aheadMs = this.#offsetMs - this.#knownOffsetMs
    this.#lookedAt = now
    this.#knownOffsetMs = this.#offsetMs
    if (now - fromAt > LOOK_MS + STALL_MS) this.#tell({ kind: 'ingest gap', fromAt, toAt: now, aheadMs }, now)
    if ((this.#state.deadline?.at ?? now + 1) <= now) this.#tell({ kind: 'wake' }, now)
  }

  /** Another process finds the state: by how much the clock was set meanwhile it cannot know. */
  restart(): void {
    this.#state = JSON.parse(JSON.stringify(this.#state)) as ActorState
    this.#knownOffsetMs = this.#offsetMs
    const now = this.#read()
    this.#lookedAt = now
    this.#tell({ kind: 'clock', byMs: 0 }, now)
  }

  #read(): number {
    const now = this.#offsetMs + this.passedMs
    if (now < this.#latestAt) {
      const byMs = Math.min(0, this.#offsetMs - this.#knownOffsetMs)
      if (!this.#isBlind) this.#tell({ kind: 'clock', byMs }, now)
      this.#knownOffsetMs = this.#offsetMs
    }
    this.#latestAt = now
    return now
  }

  #tell(event: Event, now: number): void {
    this.#state = step(this.#state, event, now).state
  }
}

const jump = fc.record({
  afterMs: fc.integer({ min: 0, max: 90_000 }),
  byMs: fc.oneof(
    fc.integer({ min: -40 * HOUR_MS, max: -1_000 }),
    fc.integer({ min: -30_000, max: -1_000 }),
    fc.integer({ min: 1_000, max: 40 * HOUR_MS }),
  ),
  restarts: fc.boolean(),
})
type Story = {
  readonly periodMs: number
  readonly endsAfterMs: number
  readonly jumps: readonly { readonly afterMs: number; readonly byMs: number; readonly restarts: boolean }[]
}
const story: fc.Arbitrary<Story> = fc.record({
  periodMs: fc.integer({ min: 300, max: TIMEOUT_MS - LOOK_MS }),
  endsAfterMs: fc.integer({ min: 5_000, max: 60_000 }),
  jumps: fc.array(jump, { maxLength: 6 }),
})

/** @returns whether the host was restarted */
function jumpAll(host: Running, jumps: Story['jumps']): boolean {
  let isNew = false
  for (const { byMs, restarts } of jumps) {
    // A clock that was set ahead while no process ran looks like time that has passed.
    const isRestart = restarts && byMs < 0
    // The engine has read its clock since it was set before.
    if (isRestart) host.look()
    host.set(byMs)
    if (isRestart) host.restart()
    isNew ||= isRestart
  }
  return isNew
}

/** Lets a sender deliver until it ends; then the clock is only set back. @returns how long its silence was not noticed, ms */
function live({ periodMs, endsAfterMs, jumps }: Story, isBlind = false) {
  const host = new Running(isBlind)
  let lastHeardMs = 0
  let latestMs = 0
  for (let passedMs = 0; passedMs < endsAfterMs + 4 * TIMEOUT_MS; passedMs += 50) {
    host.passedMs = passedMs
    const now = jumps.filter(({ afterMs }) => afterMs >= passedMs && afterMs < passedMs + 50)
    if (jumpAll(host, passedMs <= endsAfterMs ? now : now.filter(({ byMs }) => byMs < 0))) latestMs = passedMs
    if (passedMs <= endsAfterMs && passedMs - lastHeardMs >= periodMs) {
      host.deliver()
      lastHeardMs = latestMs = passedMs
    }
    if (passedMs % LOOK_MS === 0) host.look()
    if (!host.isSilent) continue
    if (passedMs - lastHeardMs < TIMEOUT_MS)
      throw new Error(`A living sender was blamed after ${passedMs} ms.`)
    return passedMs - latestMs
  }
  return Number.POSITIVE_INFINITY
}

test('after any change of the clock, an active sender has no alarm and a silent sender times out in time', () => {
  fc.assert(
    fc.property(story, (told) => {
      // A clock that was set ahead just before the end looks like a stall, which is credited with the timeout at most.
      const isAhead = told.jumps.some(({ byMs }) => byMs > 0)
      expect(live(told)).toBeLessThanOrEqual((isAhead ? 2 : 1) * TIMEOUT_MS + 2 * LOOK_MS)
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

test('control: a silent sender times out late if the host does not report that the clock was set back', () => {
  const told = {
    periodMs: 1_000,
    endsAfterMs: 10_000,
    jumps: [{ afterMs: 15_000, byMs: -HOUR_MS, restarts: false }],
  }
  expect(live(told, true)).toBe(Number.POSITIVE_INFINITY)
  expect(live(told)).toBeLessThanOrEqual(TIMEOUT_MS + LOOK_MS)
})
