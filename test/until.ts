/** Less than a test may take, and more than a busy machine needs. */
const HOLDS_MAX_MS = 120_000
const PAUSE_MS = 20

/** Reads a value until it holds.
 * @returns the value that held
 * @throws {Error} with the last value when none holds within 120 s */
export async function readUntil<T>(read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const endAt = performance.now() + HOLDS_MAX_MS
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    if (performance.now() > endAt) throw new Error(`After ${HOLDS_MAX_MS} ms: ${JSON.stringify(value)}`)
    await Bun.sleep(PAUSE_MS)
  }
}

/** Waits until something holds.
 * @throws {Error} when it does not within 120 s */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await readUntil(holds, Boolean)
}
