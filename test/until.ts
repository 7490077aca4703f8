/** Less than a test may take, and more than a busy machine needs. */
const HOLDS_MAX_MS = 120_000
/** The pause between two readings is a tenth of the time waited, within these bounds: each reading takes time from the
 * service that works on the awaited state. */
const PAUSE_MIN_MS = 10
const PAUSE_MAX_MS = 60

/** Reads a value until it holds.
 * @returns the value that held
 * @throws {Error} with the last value when none holds within 120 s */
export async function readUntil<T>(read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const beginAt = performance.now()
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    const waitedMs = performance.now() - beginAt
    if (waitedMs > HOLDS_MAX_MS) throw new Error(`After ${HOLDS_MAX_MS} ms: ${JSON.stringify(value)}`)
    await Bun.sleep(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, waitedMs / 10)))
  }
}

/** Waits until something holds.
 * @throws {Error} when it does not within 120 s */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await readUntil(holds, Boolean)
}
