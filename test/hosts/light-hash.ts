import type { Secrets } from '../../src/ports/secrets.ts'
import { scryptInPool } from '../../workers/secrets.ts'

/** Divides N of the cost of a password, 16,384. */
const LIGHTER = 1_024

/** scrypt of the platform with a smaller N: 0.1 ms of processor time instead of 60 ms. Like scrypt it depends on the
 * password, the salt and each number of the cost. For hosts whose tests do not measure the hash. */
export const lightHash: Secrets['scrypt'] = (password, salt, { n, r, p }) =>
  scryptInPool(password, salt, { n: n / LIGHTER, r, p })
