import { STATES } from '../../domain/state.ts'

/** The total weight of the children in each state, in the order of `STATES`. */
export type Tally = readonly number[]

export const NO_CHILDREN: Tally = STATES.map(() => 0)
