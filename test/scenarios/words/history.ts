import { MINUTE_MS } from '../../../src/lib/time.ts'
import type { Word } from '../parser.ts'
import type { Play } from '../play.ts'
import { localHourOf } from './found.ts'

const EVERY_MS = 30 * MINUTE_MS
const SAMPLES_MAX = 10_000

/** Many values at once, as a history from which limits learn. */
export const HISTORY: readonly Word[] = [
  {
    says: '<name> delivered <number:night> by night and <number:day> by day for <duration>',
    async run(play, given) {
      const [night, day] = [given.number('night'), given.number('day')]
      const spread = night === day ? 0 : 1
      const count = Math.min(SAMPLES_MAX, given.number('duration') / EVERY_MS)
      const timestamps = Array.from(
        { length: count },
        (_, index) => play.stage.now - (count - index) * EVERY_MS,
      )
      // Each day is a little different from the day before.
      const values = timestamps.map((at, index) => {
        const hour = localHourOf(at)
        return (
          (hour >= 8 && hour < 18 ? day : night) + spread * ((Math.floor(index / 48) % 3) + (index % 2) / 10)
        )
      })
      const series = { jobId: play.thing(given.text('name')).id, key: 'returnValue1', timestamps, values }
      await play.ask('POST', '/webcollector/values', { series: [series] })
    },
  },
  {
    says: '<name> rises from <number:low> to <number:high> by 1 a minute',
    async run(play, given) {
      for (let value = given.number('low'); value <= given.number('high'); value++) {
        await deliver(play, given.text('name'), value)
        await play.moveTo(play.stage.now + MINUTE_MS)
      }
    },
  },
]

async function deliver(play: Play, name: string, returnValue1: number): Promise<void> {
  await play.ask('POST', `/webcollector/jobs/${play.thing(name).id}/values`, { returnValue1 })
}
