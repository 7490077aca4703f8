import { Cron } from 'croner'
import * as z from 'zod'

import { durationOf, propertiesOf, withOwnNames } from './imported.ts'
import type { ImportedGroup, ImportedJob } from './imported.ts'

const check = z.object({
  name: z.string().default(''),
  slug: z.string().default(''),
  tags: z.string().default(''),
  desc: z.string().default(''),
  grace: z.number().int().positive(),
  status: z.string().optional(),
  timeout: z.number().int().positive().optional(),
  schedule: z.string().optional(),
  tz: z.string().default('UTC'),
})
type Check = z.infer<typeof check>

/** The answer of `GET /api/v3/checks/`, also of its earlier versions. */
export const healthchecksSchema = z.object({ checks: z.array(check).min(1) })

/** Occurrences of a schedule that are compared. */
const RUNS_MAX = 500
/** Where they begin: the result of an import does not depend on its day. */
const FROM = new Date('2026-01-01T00:00:00Z')

/** A group with a job for each check. Healthchecks reports a check `timeout` and `grace` seconds after its last ping, and a run that
 * takes longer than `grace`. @throws {RangeError} for a schedule that cannot be read */
export function fromHealthchecks({ checks }: z.infer<typeof healthchecksSchema>): ImportedGroup {
  const jobs = withOwnNames(checks.map(jobOf))
  return { name: 'Healthchecks', devices: [{ name: 'healthchecks', jobs }] }
}

function jobOf(one: Check): ImportedJob {
  const { name, slug, tags, desc, grace, status, schedule } = one
  const period = one.timeout ?? longestGap(one)
  return {
    name: name || slug || 'unnamed',
    ...propertiesOf({
      'healthchecks.tags': tags,
      'healthchecks.description': desc,
      'healthchecks.schedule': schedule && `${schedule} ${one.tz}`,
    }),
    ...(status === 'paused' && { stopped: true as const }),
    interval: durationOf(period),
    parameters: { timeout: durationOf(period + grace), grace: durationOf(grace) },
  }
}

/** The seconds between the two most distant neighbours of a schedule in the time of its zone. */
function longestGap({ name, schedule, tz }: Check): number {
  const runs = occurrences(name, schedule, tz)
  const gaps = runs.slice(1).map((run, index) => (run.getTime() - (runs[index] ?? run).getTime()) / 1000)
  if (gaps.length === 0)
    throw new RangeError(`The check "${name}" has neither a timeout nor a schedule that repeats.`)
  return Math.max(...gaps)
}

function occurrences(name: string, schedule: string | undefined, timezone: string): readonly Date[] {
  try {
    return schedule === undefined ? [] : new Cron(schedule, { timezone }).nextRuns(RUNS_MAX, FROM)
  } catch (error) {
    throw new RangeError(`The schedule "${schedule}" of the check "${name}" cannot be read.`, {
      cause: error,
    })
  }
}
