import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { background, useSubmit } from '../kit/background.ts'
import { Button, SelectField, TextField } from '../kit/controls.tsx'
import { FailureNote, Note } from '../kit/feedback.tsx'
import { Mark } from '../kit/icons.tsx'
import { linkTo } from '../kit/location.ts'
import { Refusals } from '../kit/overlays.tsx'
import { fullTimeText, now } from '../kit/time.tsx'
import { changeLanguage, language, LANGUAGES, t } from '../language/t.ts'
import type { Language } from '../language/t.ts'

const ZONES = Intl.supportedValuesOf('timeZone')

type Form = {
  readonly username: string
  readonly password: string
  readonly timeZone: string
  readonly content: 'demo' | 'empty'
}

/** The page of the set-up link: creates the first administrator and signs in. The token is in the fragment. */
export function SetupPage(): JSX.Element {
  return (
    <main class="first" id="main">
      <div class="sea">
        <p class="brand">
          <Mark />
          Tidemark
        </p>
        <h1>{t('setup.claim')}</h1>
        <p>{t('setup.claimText')}</p>
        <svg class="water" viewBox="0 0 400 120" preserveAspectRatio="none" aria-hidden="true">
          <path d="M0 40c35 0 35-18 66-18s35 18 66 18 35-18 68-18 35 18 66 18 35-18 66-18 35 18 68 18v80H0Z" />
        </svg>
      </div>
      <div class="form-side">
        <SetupForm token={decodeURIComponent(location.hash.slice(1))} />
      </div>
    </main>
  )
}

function SetupForm({ token }: { readonly token: string }): JSX.Element {
  const { route } = useLocation()
  const [form, setForm] = useState<Form>({
    username: 'admin',
    password: '',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    content: 'demo',
  })
  const change = (part: Partial<Form>): void => setForm({ ...form, ...part })
  const { failure, isBusy, submit } = useSubmit(async () => {
    await call('post', '/session/setup', { body: { token, language: language.value, ...form } })
    await signIn({ username: form.username, password: form.password })
    route(linkTo(form.content === 'demo' ? '' : 'first-value'), true)
  })
  if (token === '' || failure?.code === 'forbidden') return <LinkIsOver />
  return (
    <form class="col" onSubmit={submit}>
      <h2>{t('setup.title')}</h2>
      <TextField
        label={t('login.username')}
        value={form.username}
        onValue={(username) => change({ username })}
        error={failure?.at('/username')}
        autocomplete="username"
        required
      />
      <TextField
        label={t('login.password')}
        hint={t('setup.passwordHint')}
        type="password"
        value={form.password}
        onValue={(password) => change({ password })}
        error={failure?.at('/password')}
        autocomplete="new-password"
        autofocus
        required
      />
      <SelectField<Language>
        label={t('setup.language')}
        value={language.value}
        options={LANGUAGES.map((value) => ({ value, text: languageName(value) }))}
        onValue={(value) => background(changeLanguage(value))}
      />
      <TextField
        label={t('setup.timeZone')}
        hint={isZone(form.timeZone) ? fullTimeText(now.value, form.timeZone) : t('setup.timeZoneUnknown')}
        value={form.timeZone}
        onValue={(timeZone) => change({ timeZone })}
        error={failure?.at('/timeZone')}
        list="zones"
        required
      />
      <datalist id="zones">
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Content value={form.content} onChange={(content) => change({ content })} />
      {failure && failure.errors.length === 0 && (
        <FailureNote failure={failure} what={t('feedback.notDone')} />
      )}
      {failure && failure.elsewhere.length > 0 && <Refusals failure={failure} />}
      <Button kind="primary" type="submit" busy={isBusy}>
        {t('setup.submit')}
      </Button>
    </form>
  )
}

/** The first objects: a plant to look at, or none. */
function Content({
  value,
  onChange,
}: {
  readonly value: Form['content']
  readonly onChange: (value: Form['content']) => void
}): JSX.Element {
  return (
    <fieldset class="col">
      <legend>{t('setup.content')}</legend>
      {(['demo', 'empty'] as const).map((one) => (
        <label key={one} class="check">
          <input type="radio" name="content" checked={value === one} onChange={() => onChange(one)} />
          <span>
            {t(`setup.content.${one}`)} <span class="label">{t(`setup.contentText.${one}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function LinkIsOver(): JSX.Element {
  return (
    <div class="col">
      <h2>{t('setup.over')}</h2>
      <Note kind="warning">{t('setup.overText')}</Note>
      <a class="btn" href={linkTo('login')}>
        {t('login.title')}
      </a>
    </div>
  )
}

function languageName(tag: Language): string {
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
