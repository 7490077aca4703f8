import * as z from 'zod'
import { isTimeZone } from '../lib/time.ts'

/** The variables that every host takes; a host adds its own with `extend`. */
export const settingsSchema = z.object({
  TIDEMARK_TIME_ZONE: z
    .string()
    .default('UTC')
    .refine(isTimeZone, 'is not a time zone that this system knows')
    .describe('The service zone, whose offset every timestamp carries, such as Europe/Zurich.'),
  TIDEMARK_BASE_PATH: z
    .string()
    .default('')
    .refine((path) => path === '' || /^(\/[\w.~-]+)+$/.test(path), 'must be empty or look like /monitoring')
    .describe('The context path in front of every route.'),
  TIDEMARK_ADMIN_PASSWORD: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(1024)
    .optional()
    .describe('Creates the administrator `admin` at the first start, for unattended set-ups.'),
})

/** What both hosts take from their environment. */
export type Settings = {
  readonly timeZone: string
  readonly basePath: string
  readonly adminPassword: string | null
}

/** The settings that checked variables stand for. */
export function settingsOf(values: z.output<typeof settingsSchema>): Settings {
  return {
    timeZone: values.TIDEMARK_TIME_ZONE,
    basePath: values.TIDEMARK_BASE_PATH,
    adminPassword: values.TIDEMARK_ADMIN_PASSWORD ?? null,
  }
}

/** Checks an environment against a schema of variables; an empty variable counts as absent.
 * @throws {RangeError} naming every variable that is wrong, at once, with its description */
export function parseEnvironment<S extends z.ZodObject>(
  schema: S,
  environment: Readonly<Record<string, unknown>>,
): z.output<S> {
  const given = Object.entries(environment).filter(([name, value]) => name in schema.shape && value !== '')
  const result = schema.safeParse(Object.fromEntries(given))
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => {
    const name = String(issue.path[0])
    const description = (schema.shape[name] as z.ZodType | undefined)?.description ?? ''
    return `  ${name} ${issue.message}. ${description}`
  })
  throw new RangeError(`The configuration is not usable:\n${problems.join('\n')}`)
}
