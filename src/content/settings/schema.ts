import * as z from 'zod'
import { isFixedDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { flagQuery, READ_ONLY } from '../../http/openapi-answers.ts'
import { languageTag, storableText } from '../../http/text-schemas.ts'

/** Stands for a secret that is set; sent back, it keeps it. */
export const MASK = '********'

const NO_CONTROL = /^\P{Cc}*$/u

const REFRESH_MIN_MS = 5_000
const REFRESH_MAX_MS = DAY_MS

/** The pace at which a dashboard reads its data. */
export const refreshPace = z
  .string()
  .max(64)
  .refine(
    (value) => isFixedDuration(value, REFRESH_MAX_MS, REFRESH_MIN_MS),
    'must be an ISO 8601 duration of 5 seconds to 24 hours',
  )
  .meta({ format: 'duration' })

/** The settings, as every signed-in user sees them. */
const values = {
  title: storableText.trim().min(1).max(100).regex(NO_CONTROL, 'must have no control characters'),
  language: languageTag,
  theme: z.enum(['light', 'dark', 'system']),
  startDashboardId: z.int().positive().nullable(),
  publicDashboards: z.boolean().describe('Whether dashboards may have public links.'),
  dashboardRefresh: refreshPace
    .describe('The shortest pace at which dashboards read their data, also those that name a shorter one.')
    .meta({ examples: ['PT5S'] }),
}

/** The facts that follow from the environment and the build of the service. */
const facts = {
  timeZone: z.string(),
  release: z.strictObject({ interface: z.string(), tidemark: z.string() }),
  limits: z.strictObject({
    fileMaxBytes: z.int().describe('The largest file that can be uploaded, in bytes.'),
    styleMaxBytes: z.int().describe('The largest style sheet, in bytes.'),
    sessionMaxHours: z.int().describe('The longest lifetime of a session, in hours.'),
  }),
  features: z.strictObject({
    automaticTranslation: z.boolean(),
    externalAuthentication: z.boolean(),
    queryCredentials: z.boolean(),
  }),
}

const secret = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters')
  .nullable()
const secrets = { translation: z.strictObject({ apiKey: secret.optional() }) }

const DEFAULTS = {
  title: 'Tidemark',
  language: 'en',
  theme: 'system',
  startDashboardId: null,
  publicDashboards: false,
  dashboardRefresh: 'PT5S',
} as const

export const valuesBody = z.object({
  title: values.title.default(DEFAULTS.title),
  language: values.language.default(DEFAULTS.language),
  theme: values.theme.default(DEFAULTS.theme),
  startDashboardId: values.startDashboardId.default(DEFAULTS.startDashboardId),
  publicDashboards: values.publicDashboards.default(DEFAULTS.publicDashboards),
  dashboardRefresh: values.dashboardRefresh.default(DEFAULTS.dashboardRefresh),
})

/** All settings. Absent ones get their defaults; facts, which cannot be set, may be sent back as they were read. */
export const settingsBody = z.strictObject({
  ...valuesBody.shape,
  translation: secrets.translation.optional(),
  timeZone: facts.timeZone.optional().meta(READ_ONLY),
  release: facts.release.optional().meta(READ_ONLY),
  limits: facts.limits.optional().meta(READ_ONLY),
  features: facts.features.optional().meta(READ_ONLY),
})

export const settingsQuery = z.object({
  full: flagQuery.default(false).describe('Includes the settings that only administrators can read.'),
})

/** `translation` exists only in the whole settings, which administrators read. */
export const settingsView = z
  .object({
    ...values,
    ...facts,
    translation: z
      .object({ apiKey: z.string().nullable().describe(`\`${MASK}\` if a key is set; null otherwise.`) })
      .optional(),
  })
  .meta({ id: 'Settings' })

/** Public: every field is visible on the login page or in the answers of other public routes. */
export const loginOptionsView = z
  .object({
    title: values.title,
    language: values.language.describe('The default language of the installation.'),
    theme: values.theme,
    passwordLengthMin: z.int().describe('The least number of characters of a new password.'),
    oidc: z
      .object({ label: z.string().describe('The name of the provider.') })
      .nullable()
      .describe('Null without an OpenID Connect provider.'),
    isSetUp: z.boolean().describe('False until the first administrator is created with the set-up link.'),
  })
  .meta({ id: 'LoginOptions' })

export type LoginOptionsView = z.infer<typeof loginOptionsView>
export type SettingsValues = z.infer<typeof valuesBody>
export type SettingsBody = z.infer<typeof settingsBody>
export type SettingsView = z.infer<typeof settingsView>
export const FACTS = Object.keys(facts) as (keyof typeof facts)[]
