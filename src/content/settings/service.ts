import { isAdministrator } from '../../access/rights/permissions.ts'
import { audited } from '../../access/audit/service.ts'
import { sealText, unseal } from '../../access/session/keys.ts'
import { countUsers } from '../../access/users/service.ts'
import type { Context } from '../../context.ts'
import { patched } from '../../http/merge-patch.ts'
import { parsed } from '../../http/valid.ts'
import { INTERFACE_RELEASE, VERSION } from '../../http/version.ts'
import { Refusal, stale, invalidAt } from '../../lib/errors.ts'
import { commit, isNotNullViolation } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { FILE_MAX_BYTES } from '../files/service.ts'
import { STYLE_MAX_BYTES } from '../styles/service.ts'
import { FACTS, MASK, settingsBody, valuesBody } from './schema.ts'
import type { LoginOptionsView, SettingsBody, SettingsValues, SettingsView } from './schema.ts'
import * as store from './store.ts'
import type { SettingsRow } from './store.ts'

const SESSION_MAX_HOURS = 24
const TRANSLATION_KEY = 'translation.apiKey'

type Versioned = { readonly settings: SettingsView; readonly version: number }

/** A change: all settings, or a merge patch of them. */
export type SettingsChange = {
  readonly kind: 'whole' | 'patch'
  readonly sent: unknown
  readonly ifMatch: number | null
}

const UNSET: SettingsRow = { values: {}, secrets: {}, version: 0, updatedAt: 0 }

/** The settings; only with `isFull` they have the fields for administrators.
 * @throws {Refusal} forbidden for other users */
export async function readSettings({ ports, caller }: Context, isFull: boolean): Promise<Versioned> {
  if (isFull && !isAdministrator(caller))
    throw new Refusal('forbidden', 'Only administrators can read all settings.')
  const row = await findSettings(ports)
  const { translation, ...common } = viewOf(ports, row)
  return { settings: isFull && translation ? { ...common, translation } : common, version: row.version }
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

/** The start dashboard of users without a choice of their own; null without one. */
export async function startDashboardOf(ports: Ports): Promise<number | null> {
  return valuesBody.parse((await findSettings(ports)).values).startDashboardId
}

/** Whether dashboards may have public links. */
export async function hasPublicDashboards(ports: Ports): Promise<boolean> {
  return valuesBody.parse((await findSettings(ports)).values).publicDashboards
}

/** The shortest pace at which dashboards read their data. */
export async function dashboardRefreshOf(ports: Ports): Promise<string> {
  return valuesBody.parse((await findSettings(ports)).values).dashboardRefresh
}

/** Changes settings.
 * @throws {Refusal} invalid with pointers to what is unknown, wrong or not to be changed, precondition_failed */
export async function changeSettings(
  context: Context,
  { kind, sent, ifMatch }: SettingsChange,
): Promise<Versioned> {
  const { ports } = context
  const row = await findSettings(ports)
  if (ifMatch !== null && ifMatch !== row.version) throw stale('settings document')
  const view = viewOf(ports, row)
  const asked =
    kind === 'patch'
      ? patched(settingsBody, { shown: view, patch: sent, unset: { '/translation': undefined } })
      : parsed(settingsBody, sent)
  requireSameFacts(asked, view)
  const next: SettingsRow = {
    values: setValues(asked),
    secrets: await secretsOf(ports, row, asked.translation?.apiKey ?? null),
    version: row.version + 1,
    updatedAt: ports.clock.now(),
  }
  try {
    await commit(ports.database, settingsWrites(context, row, next))
  } catch (error) {
    throw isNotNullViolation(error, 'settings.version') ? stale('settings document') : error
  }
  return { settings: viewOf(ports, next), version: next.version }
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

/** The API key for the provider of translations; null without one. */
export async function readTranslationKey(ports: Ports): Promise<string | null> {
  const sealed = (await findSettings(ports)).secrets[TRANSLATION_KEY]
  if (sealed === undefined) return null
  return new TextDecoder().decode(await unseal(ports.secrets, sealed, TRANSLATION_KEY))
}

/** Writes settings and their entry of the audit log. The version of `after` is one more than the version of `before`. */
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
