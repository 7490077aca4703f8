import { describe, expect, test } from 'bun:test'
import { retryOnConflict } from './retry.ts'

const CONFLICT = new Error('changed in the meantime')
const isConflict = (error: unknown) => error === CONFLICT

describe('an optimistic write', () => {
  test('is run again until no concurrent write wins', async () => {
    let attempts = 0
    const result = await retryOnConflict(isConflict, async () => {
      attempts++
      if (attempts < 50) throw CONFLICT
      return 'written'
    })
    expect([result, attempts]).toEqual(['written', 50])
  })

  test('is refused as overloaded after 50 attempts', async () => {
    let attempts = 0
    const losing = retryOnConflict(isConflict, async () => {
      attempts++
      throw CONFLICT
    })
    expect(await losing.catch((error: unknown) => error)).toMatchObject({ code: 'overloaded' })
    expect(attempts).toBe(50)
  })

  test('is not run again after any other error', async () => {
    let attempts = 0
    const failing = retryOnConflict(isConflict, async () => {
      attempts++
      throw new Error('disk full')
    })
    expect(await failing.catch((error: unknown) => error)).toMatchObject({ message: 'disk full' })
    expect(attempts).toBe(1)
  })
})
