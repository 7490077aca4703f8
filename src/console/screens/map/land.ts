import landText from './land.txt' with { type: 'text' }
import { project } from './mercator.ts'

/** The size of the world in the drawing. */
export const UNIT = 1000
const QUANTUM = 100
const DIGITS = 2

/** The land as a path: Natural Earth at 1:50,000,000, simplified. No tile is asked for. */
export const LAND = pathOf(landText)

/** The path of rings, each a line of differences in hundredths of a degree. */
function pathOf(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const numbers = line.split(' ').map(Number)
      let [lon, lat] = [0, 0]
      const points: string[] = []
      for (let at = 0; at + 1 < numbers.length; at += 2) {
        lon += numbers[at] ?? 0
        lat += numbers[at + 1] ?? 0
        const [x, y] = project(lon / QUANTUM, lat / QUANTUM)
        points.push(`${(x * UNIT).toFixed(DIGITS)} ${(y * UNIT).toFixed(DIGITS)}`)
      }
      return `M${points.join('L')}Z`
    })
    .join('')
}
