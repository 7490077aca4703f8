import { Cron } from 'croner'
import * as z from 'zod'

import { CommandFailure, EXIT } from '../../../server/failures.ts'
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
 * takes longer than `grace`. @throws {CommandFailure} data, for a schedule that cannot be read */
export function fromHealthchecks({ checks }: z.infer<typeof healthchecksSchema>): ImportedGroup {
  const jobs = withOwnNames(checks.map(jobOf))
  return { name: 'Healthchecks', devices: [{ name: 'healthchecks', jobs }] }
}

const nameOf = ({ name, slug }: Check) => name.trim() || slug || 'unnamed'

function jobOf(one: Check): ImportedJob {
  const { tags, desc, grace, status, schedule } = one
  const period = one.timeout ?? longestGap(one)
  return {
    name: nameOf(one),
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
function longestGap(one: Check): number {
  const runs = occurrences(one)
  const gaps = runs.slice(1).map((run, index) => (run.getTime() - (runs[index] ?? run).getTime()) / 1000)
  if (gaps.length === 0)
    throw new CommandFailure(
      EXIT.data,
      `The check "${nameOf(one)}" has neither a timeout nor a schedule that repeats.`,
    )
  return Math.max(...gaps)
}

function occurrences(one: Check): readonly Date[] {
  const { schedule, tz: timezone } = one
  try {
    return schedule === undefined ? [] : new Cron(schedule, { timezone }).nextRuns(RUNS_MAX, FROM)
  } catch (error) {
    throw new CommandFailure(
      EXIT.data,
      `The schedule "${schedule}" in the time zone "${timezone}" of the check "${nameOf(one)}" cannot be read. Write a cron expression and a zone such as Europe/Zurich into the file.`,
      { cause: error },
    )
  }
}
