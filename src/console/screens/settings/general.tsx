import type { JSX } from 'preact'

import { callVersioned } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button, Check, itemOptions, itemValue, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, KeyValues } from '../../kit/data.tsx'
import { Unsaved, useEditing } from '../../kit/editing.tsx'
import { Show } from '../../kit/feedback.tsx'
import { bytesText } from '../../kit/numbers.ts'
import { spanText } from '../../kit/time.tsx'
import { changedFields } from '../../kit/versions.ts'
import type { Version } from '../../kit/versions.ts'
import { WordField } from '../../kit/word-field.tsx'
import { LANGUAGES, t } from '../../language/t.ts'

type Settings = Answer<'/settings.json'>
const PACES = ['PT5S', 'PT15S', 'PT30S', 'PT1M', 'PT5M', 'PT1H']
const THEMES = ['system', 'light', 'dark'] as const

/** The settings that can be changed, and the facts that follow from the set-up. */
export function General(): JSX.Element {
  const isAdministrator = user.value?.role === 'administrator'
  const settings = useGet('/settings.json', isAdministrator ? { query: { full: true } } : {})
  return (
    <Show resource={settings} what={t('settings.failed')}>
      {(data) => (
        <div class="two-up">
          <Form settings={data} etag={settings.etag} />
          <Facts settings={data} />
        </div>
      )}
    </Show>
  )
}

type FormProps = { readonly settings: Settings; readonly etag: string | undefined }

type Draft = Pick<
  Settings,
  'title' | 'language' | 'theme' | 'startDashboardId' | 'publicDashboards' | 'dashboardRefresh'
> & { readonly apiKey: string }

function draftOf({
  title,
  language,
  theme,
  startDashboardId,
  publicDashboards,
  dashboardRefresh,
  translation,
}: Settings): Draft {
  const apiKey = translation?.apiKey ?? ''
  return { title, language, theme, startDashboardId, publicDashboards, dashboardRefresh, apiKey }
}

const EDITING = {
  draftOf,
  read: async (): Promise<Version<Settings>> => {
    const { data, etag } = await callVersioned('get', '/settings.json', { query: { full: true } })
    return { object: data, etag }
  },
  send: async ({ object, etag: ifMatch }: Version<Settings>, draft: Draft): Promise<Version<Settings>> => {
    const { apiKey, ...change } = changedFields(draftOf(object), draft)
    const translation = apiKey === undefined ? {} : { translation: { apiKey: apiKey === '' ? null : apiKey } }
    await callVersioned('patch', '/settings.json', { body: { ...change, ...translation }, ifMatch })
    invalidate('/settings.json', '/session/options', '/dashboards/start')
    return EDITING.read()
  },
}

function Form({ settings, etag }: FormProps): JSX.Element {
  const editing = useEditing({ object: settings, etag }, EDITING)
  const { draft, change: set, failure, isChanged, isBusy, save } = editing
  const refused = refusalOf(isChanged)
  return (
    <Card title={t('settings.general')}>
      <form
        class="pad col"
        onSubmit={(event) => {
          event.preventDefault()
          if (refused === undefined) save()
        }}
      >
        <TextField
          label={t('settings.name')}
          hint={t('settings.nameHint')}
          value={draft.title}
          onValue={(title) => set({ title })}
          error={failure?.at('/title')}
          maxLength={100}
        />
        <SelectField
          label={t('setup.language')}
          hint={t('settings.languageHint')}
          value={draft.language}
          onValue={(language) => set({ language })}
          options={[...new Set<string>([...LANGUAGES, draft.language])].map((value) => ({
            value,
            text: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
          }))}
        />
        <SelectField
          label={t('settings.theme')}
          value={draft.theme}
          onValue={(theme) => set({ theme })}
          options={THEMES.map((value) => ({ value, text: t(`settings.theme.${value}`) }))}
        />
        <StartField
          value={draft.startDashboardId}
          onValue={(startDashboardId) => set({ startDashboardId })}
          error={failure?.at('/startDashboardId')}
        />
        <WordField
          label={t('settings.dashboardRefresh')}
          value={draft.dashboardRefresh}
          textOf={spanText}
          words={PACES}
          onValue={(dashboardRefresh) => set({ dashboardRefresh })}
        />
        <Check
          label={t('settings.publicDashboards')}
          checked={draft.publicDashboards}
          onChange={(publicDashboards) => set({ publicDashboards })}
        />
        {settings.translation && (
          <TextField
            label={t('settings.apiKey')}
            hint={t('settings.apiKeyHint')}
            value={draft.apiKey}
            onValue={(apiKey) => set({ apiKey })}
            error={failure?.at('/translation/apiKey')}
            autocomplete="off"
          />
        )}
        <Unsaved editing={editing} />
        <div>
          <Button type="submit" kind="primary" busy={isBusy} refused={refused}>
            {t('settings.save')}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** The dashboard that users without one of their own see first. */
function StartField({
  value,
  onValue,
  error,
}: {
  readonly value: number | null
  readonly onValue: (value: number | null) => void
  readonly error: string | undefined
}): JSX.Element {
  const dashboards = useGet('/dashboards', {}).data?.items ?? []
  return (
    <SelectField
      label={t('settings.start')}
      hint={t('settings.startHint')}
      error={error}
      value={itemValue(dashboards, value)}
      onValue={(id) => onValue(id === '' ? null : Number(id))}
      options={itemOptions(dashboards, t('settings.startFirst'))}
    />
  )
}

function refusalOf(isChanged: boolean): string | undefined {
  if (user.value?.role !== 'administrator') return t('settings.needsAdministrator')
  return isChanged ? undefined : t('settings.unchanged')
}

function Facts({ settings }: { readonly settings: Settings }): JSX.Element {
  const { release, limits, features, timeZone } = settings
  const yesNo = (yes: boolean): string => t(yes ? 'settings.on' : 'settings.off')
  return (
    <Card title={t('settings.facts')} note={t('settings.factsNote')}>
      <div class="pad">
        <KeyValues
          rows={[
            [t('settings.release'), release.tidemark],
            [t('settings.interface'), release.interface],
            [t('settings.zone'), timeZone],
            [t('settings.fileMax'), bytesText(limits.fileMaxBytes)],
            [t('settings.styleMax'), bytesText(limits.styleMaxBytes)],
            [t('settings.sessionMax'), t('settings.hours', { count: limits.sessionMaxHours })],
            [t('settings.translation'), yesNo(features.automaticTranslation)],
            [t('settings.external'), yesNo(features.externalAuthentication)],
            [t('settings.credentials'), yesNo(features.queryCredentials)],
          ]}
        />
      </div>
    </Card>
  )
}
