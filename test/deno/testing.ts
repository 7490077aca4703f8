import { format } from 'node:util'

import { expect as expectOfJest } from 'expect'

/** `bun:test` for tests that run in a process of Deno: as much of it as they use. It reports as `bun test` does. */

type Body = () => unknown
type Case = { readonly title: string; readonly body: Body; readonly timeoutMs: number }
type Group = {
  readonly title: string
  readonly parts: (Group | Case)[]
  readonly before: Body[]
  readonly beforeEach: Body[]
  readonly after: Body[]
}

const DEFAULT_TIMEOUT_MS = 180_000

const root = groupOf('')
let current = root
let timeoutMs = DEFAULT_TIMEOUT_MS

function groupOf(title: string): Group {
  return { title, parts: [], before: [], beforeEach: [], after: [] }
}

function addGroup(title: string, declare: Body): void {
  const outer = current
  current = groupOf(title)
  outer.parts.push(current)
  declare()
  current = outer
}

function addCase(title: string, body: Body, caseMs = timeoutMs): void {
  current.parts.push({ title, body, timeoutMs: caseMs })
}

type Add<Given extends unknown[]> = (title: string, body: (...given: Given) => unknown, ms?: number) => void

/** What `describe` and `test` have in common. */
function declared(add: (title: string, body: Body, ms?: number) => void) {
  const skipped: Add<[]> = () => undefined
  return Object.assign(add, {
    concurrent: add,
    if: (isWanted: boolean) => (isWanted ? add : skipped),
    skipIf: (isUnwanted: boolean) => (isUnwanted ? skipped : add),
    each:
      (rows: readonly unknown[]): Add<unknown[]> =>
      (title, body, ms) => {
        for (const row of rows) {
          const given = Array.isArray(row) ? (row as unknown[]) : [row]
          add(titleOf(title, given), () => body(...given), ms)
        }
      },
  })
}

/** Fills in `$name` from an object, `%s` and the like from a list. */
function titleOf(title: string, given: readonly unknown[]): string {
  const [first] = given
  const named = title.replaceAll(/\$(\w+)/g, (whole, name: string) => {
    const value = (first as Readonly<Record<string, unknown>> | null)?.[name]
    return value === undefined ? whole : format('%s', value)
  })
  const wanted = named.match(/%[a-z]/g)?.length ?? 0
  return format(named.replaceAll('%p', '%j'), ...given.slice(0, wanted))
}

export const describe = declared(addGroup)
export const test = declared(addCase)
export const beforeAll = (body: Body) => void current.before.push(body)
export const beforeEach = (body: Body) => void current.beforeEach.push(body)
export const afterAll = (body: Body) => void current.after.unshift(body)
export const setDefaultTimeout = (ms: number) => void (timeoutMs = ms)

expectOfJest.extend({
  toBeFalse: (value: unknown) => ({ pass: value === false, message: () => `${String(value)} is not false` }),
  toBeTrue: (value: unknown) => ({ pass: value === true, message: () => `${String(value)} is not true` }),
  toBeWithin: (value: number, from: number, to: number) => ({
    pass: value >= from && value < to,
    message: () => `${value} is not from ${from} to below ${to}`,
  }),
  toStartWith: (value: string, start: string) => ({
    pass: value.startsWith(start),
    message: () => `${value} does not start with ${start}`,
  }),
})

export const expect = Object.assign(expectOfJest, {
  unreachable(): never {
    throw new Error('This was to be unreachable.')
  },
})

/** Records the calls of a method until `mockRestore`, and calls it, or what `mockImplementation` puts in its place. */
export function spyOn(owner: object, name: string) {
  const own = Object.getOwnPropertyDescriptor(owner, name)
  const calls: unknown[][] = []
  let implementation = Reflect.get(owner, name) as (...given: unknown[]) => unknown
  const spy = Object.assign(
    function spied(this: unknown, ...given: unknown[]) {
      calls.push(given)
      return implementation.apply(this, given)
    },
    {
      _isMockFunction: true,
      mock: { calls },
      getMockName: () => name,
      mockImplementation: (other: typeof implementation) => void (implementation = other),
      mockRestore() {
        if (own) Object.defineProperty(owner, name, own)
        else Reflect.deleteProperty(owner, name)
      },
    },
  )
  Object.defineProperty(owner, name, { value: spy, configurable: true, writable: true })
  return spy
}

/** Runs what was declared where the pattern matches the names. @returns how many tests passed and failed */
export async function runTests(pattern: RegExp): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 }
  await runGroup(root, { path: [], pattern, beforeEach: [], counts })
  return counts
}

type Run = {
  readonly path: readonly string[]
  readonly pattern: RegExp
  readonly beforeEach: readonly Body[]
  readonly counts: { passed: number; failed: number }
}

async function runGroup(group: Group, run: Run): Promise<void> {
  if (!hasWanted(group, run)) return
  const inner = { ...run, beforeEach: [...run.beforeEach, ...group.beforeEach] }
  const failure = await failureOf(inTurn(group.before), DEFAULT_TIMEOUT_MS)
  if (failure) report(run, [...run.path, '(before)'], failure)
  for (const part of failure ? [] : group.parts) {
    const path = [...run.path, part.title]
    if ('parts' in part) await runGroup(part, { ...inner, path })
    else if (run.pattern.test(path.join(' '))) await runCase(part, { ...inner, path })
  }
  const left = await failureOf(inTurn(group.after), DEFAULT_TIMEOUT_MS)
  if (left) report(run, [...run.path, '(after)'], left)
}

function hasWanted(group: Group, { path, pattern }: Pick<Run, 'path' | 'pattern'>): boolean {
  return group.parts.some((part) => {
    const below = [...path, part.title]
    return 'parts' in part ? hasWanted(part, { path: below, pattern }) : pattern.test(below.join(' '))
  })
}

async function runCase({ body, timeoutMs: maxMs }: Case, run: Run): Promise<void> {
  const startedAt = performance.now()
  const failure = await failureOf(inTurn([...run.beforeEach, body]), maxMs)
  report(run, run.path, failure, performance.now() - startedAt)
}

function inTurn(bodies: readonly Body[]): Body {
  return async () => {
    for (const body of bodies) await body()
  }
}

async function failureOf(body: Body, maxMs: number): Promise<Error | null> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`It took more than ${maxMs} ms.`)), maxMs)
  try {
    await Promise.race([body(), late])
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    clearTimeout(timer)
  }
}

function report({ counts }: Run, path: readonly string[], failure: Error | null, tookMs = 0): void {
  if (failure) process.stdout.write(`${format(failure)}\n`)
  const name = path.filter(Boolean).join(' > ')
  process.stdout.write(`(${failure ? 'fail' : 'pass'}) ${name} [${tookMs.toFixed(2)}ms]\n`)
  counts[failure ? 'failed' : 'passed'] += 1
}
