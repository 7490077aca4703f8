import type { Delivery, Value } from '../../src/domain/delivery.ts'
import type { Condition, JobRules } from '../../src/domain/job-rules.ts'
import type { Reason, State } from '../../src/domain/state.ts'

/** Rules that the model can be told to get wrong, to see whether the comparison with it would notice. */
export type Mistake =
  | 'late values count'
  | 'absent error code ends the timeout'
  | 'error codes do not re-arm'
  | 'timeouts are dated when noticed'
  | 'our own silence counts'
  | 'missing keys clear'
  | 'stopping keeps what was counted'
  | 'the future limit is exclusive'
  | 'only changes are results'
  | 'limits on values stand for one on the error code'
  | 'silence clears what it does not breach'
  | 'silence is better than a bad value'
  | 'only the first silence is on record'
  | 'a clock set back delays timeouts'

type Change = { at: number; detectedAt: number; from: State; to: State; reason: Reason; errorCode: number }

/**
 * A webhook job as the design's tables describe it, without any thought for speed: it keeps all it ever saw and looks
 * at everything again for each question. Written from the tables, for comparison with the real one.
 */
export class NaiveJob {
  readonly transitions: Change[] = []
  #told: { at: number; message: string | null } | null = null
  readonly samples: { key: string; at: number; value: Value }[] = []
  state: State
  errorCode = 0
  deadline: number | null = null
  message: string | null = null
  silentSince: number | null = null
  lastReceived: number | null = null
  isFlapping = false
  #saidToFlap = false

  #rules: JobRules
  readonly #mistake: Mistake | null
  readonly #bornAt: number
  #now: number
  #start: number
  /** The service's clock at the last sign of life or start. */
  #heard: number
  /** How long the job may be silent, where the rules do not say. */
  #span: number | null = null
  #newest: number | null = null
  /** The state that a job shows that is neither forced nor stopped. */
  #verdict: State = 'ok'
  #deadlineMeansCode = true
  #openRun: { id: string | null } | null = null
  /** User values in the order in which they counted, since counting last began. */
  #counted: Readonly<Record<string, Value>>[] = []
  /** Whether each result changed the verdict. */
  #flips: boolean[] = []
  readonly #newestRaw = new Map<string, Value>()

  constructor(rules: JobRules, now: number, mistake: Mistake | null = null) {
    this.#rules = rules
    this.#mistake = mistake
    this.#bornAt = now
    this.#now = now
    this.#start = now
    this.#heard = now
    this.state = rules.stopped ? 'undefined' : 'ok'
    this.#armRegularly()
    this.#show(now, 'forced')
  }

  get revision(): number {
    return this.#rules.revision
  }

  /** 'kept', 'late', or the code of the refusal. */
  deliver(delivery: Delivery, wall: number): string {
    const now = Math.max(this.#now, wall)
    const refusal = this.#refuse(delivery, now)
    if (refusal !== null) return refusal
    this.#look(wall)
    if (delivery.signal !== 'result') return this.#hear(delivery, wall)

    const at = delivery.timestampAt ?? Math.max(now, this.#newest ?? now)
    for (const [key, value] of Object.entries(delivery.values)) this.samples.push({ key, at, value })
    const isLate = this.#newest !== null && at < this.#newest
    if (isLate && this.#mistake !== 'late values count') return 'late'
    this.#takeResult(delivery, at, wall)
    return isLate ? 'late' : 'kept'
  }

  #refuse(delivery: Delivery, now: number): string | null {
    const { stopped, textCount, divisors } = this.#rules
    if (stopped) return 'job_stopped'
    for (const key of Object.keys(delivery.values)) {
      const defined = key.startsWith('string') ? textCount : divisors.length
      if (Number(/\d+$/.exec(key)?.[0]) > defined) return 'value_not_defined'
    }
    const ahead = delivery.timestampAt === null ? 0 : delivery.timestampAt - now
    if (ahead > 300_000 || (ahead === 300_000 && this.#mistake === 'the future limit is exclusive')) {
      return 'value_in_future'
    }
    return -ahead > 2_592_000_000 ? 'value_too_old' : null
  }

  #hear(delivery: Delivery, wall: number): string {
    if (delivery.message !== null) this.message = delivery.message
    if (delivery.signal === 'start' && this.#rules.graceMs !== null) {
      this.#openRun = { id: delivery.runId }
      this.deadline = wall + this.#rules.graceMs
      this.#span = this.#rules.graceMs
      this.#deadlineMeansCode = true
    }
    return 'kept'
  }

  #takeResult(delivery: Delivery, at: number, wall: number): void {
    const isAfter5 = this.errorCode === 5 && delivery.errorCode === null && sizeOf(delivery.values) > 0
    const codeBefore = this.errorCode
    const sentCode = isAfter5 && this.#healsOnData ? 0 : delivery.errorCode
    const code = sentCode ?? this.errorCode
    if (this.#newest === null || code !== this.errorCode)
      this.samples.push({ key: 'errorCode', at, value: code })
    this.errorCode = code
    this.#newest = at
    this.lastReceived = this.#now
    this.#heard = wall
    this.message = isAfter5 && code === 5 ? besides(delivery.message, LEFT) : delivery.message
    this.silentSince = null
    this.#count(delivery.values, sentCode)
    this.#find(this.#judge())
    this.#endRun(delivery)
    this.#show(at, this.#verdict === 'ok' ? 'delivery' : 'threshold', codeBefore)
  }

  get #healsOnData(): boolean {
    return this.#rules.healsOnData || this.#mistake === 'absent error code ends the timeout'
  }

  #count(values: Delivery['values'], sentCode: number | null): void {
    for (const [key, value] of Object.entries(values)) this.#newestRaw.set(key, value)
    const counted = this.#inUserUnits(Object.entries(values))
    if (sentCode !== null) counted['errorCode'] = sentCode
    this.#counted.push(counted)
  }

  #endRun({ runId, errorCode, ttlMs }: Delivery): void {
    if (this.#openRun !== null && runId !== null && runId !== this.#openRun.id) return
    this.#openRun = null
    if (this.#mistake === 'error codes do not re-arm' && (errorCode ?? 0) !== 0) return
    this.#armRegularly(ttlMs)
  }

  wake(wall: number): void {
    this.#look(wall)
    const missed = this.deadline
    if (missed === null || missed > wall) return
    const lastSign = Math.max(this.lastReceived ?? this.#start, this.#start)
    const at = this.#mistake === 'timeouts are dated when noticed' ? this.#now : Math.max(missed, lastSign)
    this.deadline = null
    this.#openRun = null
    this.message = null
    this.silentSince = lastSign
    const codeBefore = this.errorCode
    if (this.#deadlineMeansCode) {
      if (this.errorCode !== 5 || this.#mistake !== 'only the first silence is on record')
        this.samples.push({ key: 'errorCode', at, value: 5 })
      this.errorCode = 5
      this.#counted.push({ errorCode: 5, [SILENCE]: 1 })
      const found = [this.#verdict, this.#judge()]
      this.#find(BAD.find((level) => found.includes(level)) ?? 'ok')
    } else {
      const isBad = BAD.some((level) => level === this.#verdict)
      this.#find(isBad && this.#mistake !== 'silence is better than a bad value' ? this.#verdict : 'no_data')
    }
    this.#show(at, 'timeout', codeBefore)
  }

  /** A result. Of the last 20 the oldest weighs 0.8, each after it 0.02 more. */
  #find(verdict: State): void {
    const { flapping } = this.#rules
    if (flapping) {
      const isFlip = verdict !== this.#verdict
      if (isFlip || this.#mistake !== 'only changes are results') this.#flips.push(isFlip)
      const missing = Array<boolean>(20).fill(false)
      const last = [...missing, ...this.#flips].slice(-20)
      const hundredths = last.reduce((sum, flip, place) => sum + (flip ? 80 + 2 * place : 0), 0)
      const percent = (hundredths / 2000) * 100
      const limit = this.isFlapping ? flapping.endPercent : flapping.startPercent
      this.isFlapping = this.isFlapping ? percent >= limit : percent > limit
    }
    this.#verdict = verdict
  }

  /** The clock was set back: what waits for it waits as long as before, where that is known. */
  clock(byMs: number, wall: number): void {
    if (this.deadline !== null) {
      this.deadline += byMs
      this.#heard += byMs
    }
    if (this.deadline === null || this.#mistake === 'a clock set back delays timeouts') return
    this.deadline = Math.min(this.deadline, wall + (this.#span ?? this.#patience()?.[0] ?? Infinity))
  }

  #look(wall: number): void {
    this.#now = Math.max(this.#now, wall)
  }

  ingestGap(fromAt: number, toAt: number): void {
    this.#look(toAt)
    if (this.#mistake === 'our own silence counts') return
    const missed = this.deadline
    if (this.#rules.stopped || (missed !== null && missed < fromAt)) return
    const patience = this.#span ?? this.#patience()?.[0] ?? Infinity
    if (missed !== null) this.deadline = Math.max(missed, toAt + Math.min(patience, toAt - fromAt))
    if ((missed === null || missed > toAt) && !this.#isDownOver(fromAt, toAt)) return
    const verdict = this.#verdict
    this.#verdict = 'no_data'
    this.#show(fromAt, 'platform')
    this.#verdict = verdict
    this.#show(toAt, 'platform')
  }

  #isDownOver(fromAt: number, toAt: number): boolean {
    const changedAt = this.transitions.at(-1)?.at ?? this.#bornAt
    return changedAt < toAt && toAt - fromAt >= 60_000 && ['major', 'minor', 'warning'].includes(this.state)
  }

  configure(rules: JobRules, wall: number): void {
    this.#look(wall)
    const before = this.#rules
    if (rules.revision <= before.revision) return
    const patienceBefore = this.#patience()
    this.#rules = rules
    if (differs(before.thresholds, rules.thresholds) || differs(before.divisors, rules.divisors))
      this.#judgeAnew()
    this.#forgetFlips()
    if (rules.stopped) this.#stop()
    else if (before.stopped) this.#begin(wall)
    else if (this.#openRun === null && differs(patienceBefore, this.#patience())) this.#armAnew(wall)
    const isForcing = before.forced !== rules.forced
    const otherwise = before.stopped === rules.stopped ? 'threshold' : 'stopped'
    this.#show(this.#now, isForcing ? 'forced' : otherwise)
  }

  #judgeAnew(): void {
    this.#counted = [{ ...this.#inUserUnits([...this.#newestRaw]), errorCode: this.errorCode }]
    const isUnheard = this.silentSince !== null && (this.errorCode !== 5 || this.#verdict === 'no_data')
    const verdict = this.#judge()
    this.#verdict = verdict === 'ok' && isUnheard ? 'no_data' : verdict
  }

  #forgetFlips(): void {
    if (this.#rules.flapping && !this.#rules.stopped) return
    this.#flips = []
    this.isFlapping = false
  }

  #stop(): void {
    this.deadline = null
    this.#openRun = null
    if (this.#mistake !== 'stopping keeps what was counted') this.#counted = []
  }

  #begin(wall: number): void {
    this.#start = this.#now
    this.#heard = wall
    this.#armRegularly()
  }

  /** Row 9: from the last sign of life; what passed already fires now, unless that very silence was reported. */
  #armAnew(wall: number): void {
    this.#armRegularly()
    if (this.deadline === null) return
    this.deadline = Math.min(this.deadline, wall + (this.#patience()?.[0] ?? Infinity))
    if (this.deadline > wall) return
    const isReported = this.silentSince !== null && (this.errorCode === 5 || !this.#deadlineMeansCode)
    this.deadline = isReported ? null : wall
  }

  #armRegularly(ttlMs: number | null = null): void {
    const patience = ttlMs === null ? this.#patience() : ([ttlMs, true] as const)
    if (patience === null || this.#rules.stopped) {
      this.deadline = null
      return
    }
    this.deadline = this.#heard + patience[0]
    this.#span = ttlMs
    this.#deadlineMeansCode = patience[1]
  }

  #patience(): readonly [ms: number, meansCode: boolean] | null {
    const { timeoutMs, intervalMs } = this.#rules
    if (timeoutMs !== null) return [timeoutMs, true]
    return intervalMs > 0 ? [2 * intervalMs + 600_000, false] : null
  }

  #inUserUnits(raw: readonly (readonly [string, Value])[]): Record<string, Value> {
    return Object.fromEntries(
      raw.map(([key, value]) => {
        const divisor = this.#rules.divisors[Number(/\d+$/.exec(key)?.[0]) - 1]
        return [key, typeof value === 'number' && key !== 'errorCode' ? value / (divisor ?? 1) : value]
      }),
    )
  }

  #judge(): State {
    for (const level of ['major', 'minor', 'warning'] as const) {
      for (const rule of this.#rules.thresholds) {
        if (rule.level !== level || rule.conditions.length === 0) continue
        const held = rule.conditions.filter((condition) => this.#holds(condition)).length
        if (rule.mode === 'and' ? held === rule.conditions.length : held > 0) return level
      }
    }
    return this.#isBadByItself() ? 'warning' : 'ok'
  }

  /** An error code that no limit speaks of. */
  #isBadByItself(): boolean {
    const all = this.#rules.thresholds.flatMap(({ conditions }) => conditions)
    const limits = all.filter(({ key, predicted }) => key === 'errorCode' && !predicted)
    if (this.#mistake === 'limits on values stand for one on the error code' && all.length > 0) return false
    const name5 = limits.filter(({ operator, value }) => ['=', '<>'].includes(operator) && value === 5)
    return this.errorCode !== 0 && (this.errorCode === 5 ? name5 : limits).length === 0
  }

  #isCleared({ key }: Condition): boolean {
    const last = this.#counted.at(-1)
    return this.#mistake === 'missing keys clear' && last !== undefined && last[key] === undefined
  }

  /** Whether a silence does not count for a condition: it only makes things worse. */
  #isIdle({ operator, value }: Condition, isHeld: boolean): boolean {
    if (this.#mistake === 'silence clears what it does not breach') return false
    return isHeld || !inRelation(5, operator, value)
  }

  /** Goes through all that counted, from the beginning. */
  #holds(condition: Condition): boolean {
    if (condition.predicted || this.#isCleared(condition)) return false
    const seen: Value[] = []
    const breaches = (value: Value, limit: Value) => inRelation(value, condition.operator, limit)
    const endsWith = (upTo: number, times: number, is: (value: Value) => boolean) =>
      upTo >= times && seen.slice(upTo - times, upTo).every(is)
    const { recovery } = condition
    let held = false
    let heldSince = 0
    for (const one of this.#counted) {
      if (one[condition.key] === undefined || (SILENCE in one && this.#isIdle(condition, held))) continue
      const upTo = seen.push(one[condition.key] ?? 0)
      const holds = endsWith(upTo, Math.max(1, condition.repetition), (value) =>
        breaches(value, condition.value),
      )
      if (holds) {
        held = true
        heldSince = upTo
      } else if (recovery === null) {
        held = false
      } else if (held && upTo - heldSince >= Math.max(1, recovery.repetition)) {
        held = !endsWith(upTo, Math.max(1, recovery.repetition), (value) => !breaches(value, recovery.value))
      }
    }
    return held
  }

  /** A bad job that stays as bad: another error code is told, and another message once a minute. */
  #showWhatIsWrong(codeBefore: number, at: number): void {
    const { state: to, errorCode, message } = this
    if (!BAD.some((level) => level === to)) return
    const [detectedAt, toldAt] = [this.#now, this.#told?.at ?? 0]
    const isOther = message !== null && message !== this.#told?.message
    if (errorCode === codeBefore && !(isOther && detectedAt - toldAt >= 60_000)) return
    this.transitions.push({ at, detectedAt, from: to, to, reason: 'message', errorCode })
    this.#told = { at: detectedAt, message }
  }

  /** @param codeBefore where something was heard, or missed, the error code before it */
  #show(at: number, reason: Reason, codeBefore?: number): void {
    const to = this.#rules.forced ?? (this.#rules.stopped ? 'undefined' : this.#verdict)
    const { state: from, errorCode } = this
    const notBefore = this.transitions.at(-1)?.at ?? this.#bornAt
    const detectedAt = this.#now
    if (to !== from) {
      this.transitions.push({ at: Math.max(at, notBefore), detectedAt, from, to, reason, errorCode })
      this.#told = { at: detectedAt, message: this.message }
    } else if (codeBefore !== undefined) this.#showWhatIsWrong(codeBefore, notBefore)
    this.state = to
    if (this.isFlapping === this.#saidToFlap) return
    this.#saidToFlap = this.isFlapping
    const changedAt = this.transitions.at(-1)?.at ?? this.#bornAt
    this.transitions.push({ at: changedAt, detectedAt, from: to, to, reason: 'flapping', errorCode })
  }
}

const BAD = ['major', 'minor', 'warning'] as const

/** Stands beside the error code of a silence, to tell it from one that was sent. */
const SILENCE = 'silence'
const LEFT = 'values arrive without errorCode; error code 5 stays until a delivery has an errorCode'

function sizeOf(values: object): number {
  return Object.keys(values).length
}

function besides(message: string | null, note: string): string {
  return message === null ? note : `${message} (${note})`
}

function inRelation(value: Value, operator: string, limit: Value): boolean {
  if (typeof value !== typeof limit) return false
  const plain: Record<string, boolean> = {
    '>': value > limit,
    '>=': value >= limit,
    '<': value < limit,
    '<=': value <= limit,
    '=': value === limit,
    '<>': value !== limit,
  }
  if (typeof value === 'number') return plain[operator] ?? false
  const words = String(limit)
  const texts: Record<string, boolean> = {
    '=': value === words,
    '<>': value !== words,
    contains: value.includes(words),
    not_contains: !value.includes(words),
    starts_with: value.startsWith(words),
    ends_with: value.endsWith(words),
    matches: words.endsWith('*') ? value.startsWith(words.slice(0, -1)) : value === words,
  }
  return texts[operator] ?? false
}

function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other)
}
