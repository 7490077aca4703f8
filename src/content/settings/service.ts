import { isAdministrator } from '../../access/rights/permissions.ts'
import { audited } from '../../access/audit/service.ts'
import { startFaults } from '../../access/dashboard-use/service.ts'
import { sealText, unsealText } from '../../access/session/keys.ts'
import { countUsers } from '../../access/users/service.ts'
import type { Context } from '../../context.ts'
import type { BodyWithVersion } from '../../http/updates.ts'
import { INTERFACE_RELEASE, VERSION } from '../../http/version.ts'
import { Refusal, stale, invalidAt } from '../../lib/errors.ts'
import { commit, isNotNullViolation } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { FILE_MAX_BYTES } from '../files/service.ts'
import { STYLE_MAX_BYTES } from '../styles/service.ts'
import { FACTS, MASK, valuesBody } from './schema.ts'
import type { LoginOptionsView, SettingsBody, SettingsValues, SettingsView } from './schema.ts'
import * as store from './store.ts'
import type { SettingsRow } from './store.ts'

const SESSION_MAX_HOURS = 24
const TRANSLATION_KEY = 'translation.apiKey'

type Versioned = { readonly view: SettingsView; readonly version: number }

const UNSET: SettingsRow = { values: {}, secrets: {}, version: 0, updatedAt: 0 }

/** The settings; with `isFull` they have the fields for administrators.
 * @throws {Refusal} forbidden for other users */
export async function readSettings({ ports, caller }: Context, isFull: boolean): Promise<Versioned> {
  if (isFull && !isAdministrator(caller))
    throw new Refusal('forbidden', 'Only administrators can read all settings.')
  const row = await findSettings(ports)
  const { translation, ...common } = viewOf(ports, row)
  return { view: isFull && translation ? { ...common, translation } : common, version: row.version }
}

/** The settings that a login page shows. */
export async function readLoginOptions({ ports }: Context): Promise<LoginOptionsView> {
  const { oidc, passwords } = ports.settings
  const [row, users] = await Promise.all([findSettings(ports), countUsers(ports)])
  const { title, language, theme } = valuesBody.parse(row.values)
  return {
    title,
    language,
    theme,
    passwordLengthMin: passwords.lengthMin,
    oidc: oidc && { label: oidc.label },
    isSetUp: users > 0,
  }
}

/** The id of the start dashboard of users who chose none; null without one. */
export async function startDashboardOf(ports: Ports): Promise<number | null> {
  return valuesBody.parse((await findSettings(ports)).values).startDashboardId
}

/** Whether dashboards may have public links. */
export async function hasPublicDashboards(ports: Ports): Promise<boolean> {
  return valuesBody.parse((await findSettings(ports)).values).publicDashboards
}

/** The shortest pace at which dashboards read their data (ISO 8601). */
export async function dashboardRefreshOf(ports: Ports): Promise<string> {
  return valuesBody.parse((await findSettings(ports)).values).dashboardRefresh
}

/** Replaces the settings; absent ones get their defaults.
 * @throws {Refusal} invalid with pointers to facts that cannot be changed or to an unknown start dashboard,
 * precondition_failed */
export async function replaceSettings(
  context: Context,
  { body, ifMatch }: BodyWithVersion<SettingsBody>,
): Promise<Versioned> {
  const { ports } = context
  const row = await findSettings(ports)
  if (ifMatch !== null && ifMatch !== row.version) throw stale('settings document')
  requireSameFacts(body, viewOf(ports, row))
  const before = valuesBody.parse(row.values).startDashboardId
  const faults = await startFaults(ports, { before, after: body.startDashboardId })
  if (faults.length > 0) throw new Refusal('invalid', 'The settings are invalid; see errors.', faults)
  const next: SettingsRow = {
    values: setValues(body),
    secrets: await secretsOf(ports, row, body.translation?.apiKey ?? null),
    version: row.version + 1,
    updatedAt: ports.clock.now(),
  }
  try {
    await commit(ports.database, settingsWrites(context, row, next))
  } catch (error) {
    throw isNotNullViolation(error, 'settings.version') ? stale('settings document') : error
  }
  return { view: viewOf(ports, next), version: next.version }
}

/** The writes that make a language the default of the installation; none where the default is this language. */
export async function languageWrites(context: Context, language: string): Promise<readonly Write[]> {
  const row = await findSettings(context.ports)
  const before = valuesBody.parse(row.values)
  if (before.language === language) return []
  const values = setValues({ ...before, language })
  return settingsWrites(context, row, {
    ...row,
    values,
    version: row.version + 1,
    updatedAt: context.ports.clock.now(),
  })
}

/** The API key of the translation provider; null without one.
 * @throws {Refusal} conflict for a key that cannot be decrypted */
export async function readTranslationKey(ports: Ports): Promise<string | null> {
  const sealed = (await findSettings(ports)).secrets[TRANSLATION_KEY]
  if (sealed === undefined) return null
  const what = 'The API key of the translation provider'
  return unsealText(ports.secrets, sealed, { purpose: TRANSLATION_KEY, what })
}

/** The writes of changed settings and of their audit entry. The version of `after` is one more than the version of `before`. */
function settingsWrites(context: Context, before: SettingsRow, after: SettingsRow): readonly Write[] {
  const { database } = context.ports
  const change = { action: 'update', objectType: 'settings', objectId: 'settings.json' } as const
  return [
    store.saveSettings(database, after),
    audited(context, { ...change, before: auditFieldsOf(before), after: auditFieldsOf(after) }),
  ]
}

async function findSettings({ database }: Ports): Promise<SettingsRow> {
  return (await store.findSettings(database)) ?? UNSET
}

function viewOf({ settings, translator }: Ports, row: SettingsRow): SettingsView {
  return {
    ...valuesBody.parse(row.values),
    timeZone: settings.timeZone,
    release: { interface: INTERFACE_RELEASE, tidemark: VERSION },
    limits: {
      fileMaxBytes: FILE_MAX_BYTES,
      styleMaxBytes: STYLE_MAX_BYTES,
      sessionMaxHours: SESSION_MAX_HOURS,
    },
    features: {
      automaticTranslation: (settings.translation ?? translator) !== null,
      externalAuthentication: settings.authServiceUrl !== null,
      queryCredentials: settings.takesQueryCredentials,
    },
    translation: { apiKey: TRANSLATION_KEY in row.secrets ? MASK : null },
  }
}

/** The values that differ from the defaults, so that a default may change with a release. */
function setValues(asked: SettingsBody): Partial<SettingsValues> {
  const defaults: Readonly<Record<string, unknown>> = valuesBody.parse({})
  const set = Object.entries(valuesBody.parse(asked)).filter(([name, value]) => value !== defaults[name])
  return Object.fromEntries(set)
}

async function secretsOf(
  { secrets }: Ports,
  row: SettingsRow,
  apiKey: string | null,
): Promise<Record<string, string>> {
  if (apiKey === null) return {}
  if (apiKey !== MASK) return { [TRANSLATION_KEY]: await sealText(secrets, apiKey, TRANSLATION_KEY) }
  if (TRANSLATION_KEY in row.secrets) return row.secrets
  throw invalidAt('/translation/apiKey', 'is the placeholder of a secret, but no secret is set')
}

function requireSameFacts(asked: SettingsBody, view: SettingsView): void {
  for (const name of FACTS) {
    const isKept = JSON.stringify(asked[name]) === JSON.stringify(view[name])
    if (!isKept && asked[name] !== undefined) throw invalidAt(`/${name}`, 'cannot be changed here')
  }
}

function auditFieldsOf({ values, secrets }: SettingsRow): object {
  return { ...valuesBody.parse(values), translation: { apiKey: secrets[TRANSLATION_KEY] ?? null } }
}
