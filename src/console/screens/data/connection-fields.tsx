import type { JSX } from 'preact'

import { Button, Field, SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import type { FieldsProps } from './source-draft.ts'

const TLS = ['verify-full', 'require', 'disable'] as const

/** How a database is reached. */
export function ConnectionFields(props: FieldsProps): JSX.Element {
  const { draft, failure, change } = props
  const text = (name: 'host' | 'port' | 'database' | 'schema' | 'user' | 'maxConnections') => ({
    label: t(`data.${name}`),
    value: draft[name],
    onValue: (value: string) => change({ [name]: value }),
    error: failure?.at(`/connection/${name}`),
    autocomplete: 'off',
    spellcheck: false,
  })
  return (
    <fieldset class="rows">
      <legend>{t('data.connection')}</legend>
      <div class="form-grid">
        <TextField {...text('host')} placeholder="db.example.com" />
        <TextField {...text('port')} inputMode="numeric" />
        <TextField {...text('database')} />
        {draft.type === 'postgresql' && <TextField {...text('schema')} hint={t('data.schemaHint')} />}
        <TextField {...text('user')} hint={t('data.userHint')} />
        <PasswordField {...props} />
        <SelectField
          label={t('data.tls')}
          hint={t(`data.tlsText.${draft.tls}`)}
          value={draft.tls}
          onValue={(tls) => change({ tls })}
          options={TLS.map((value) => ({ value, text: t(`data.tls.${value}`) }))}
          error={failure?.at('/connection/tls')}
        />
        <TextField {...text('maxConnections')} inputMode="numeric" />
      </div>
      {draft.tls === 'verify-full' && (
        <details class="part" open={draft.ca !== ''}>
          <summary>{t('data.ca')}</summary>
          <Field label={t('data.ca')} hint={t('data.caHint')} error={failure?.at('/connection/ca')}>
            {(attributes) => (
              <textarea
                class="input mono"
                rows={4}
                spellcheck={false}
                value={draft.ca}
                onInput={(event) => change({ ca: event.currentTarget.value })}
                {...attributes}
              />
            )}
          </Field>
        </details>
      )}
    </fieldset>
  )
}

function PasswordField({ draft, failure, change }: FieldsProps): JSX.Element {
  if (draft.password === null)
    return (
      <div class="field">
        <span class="lab">{t('login.password')}</span>
        <span class="row wrap">
          {t('data.passwordSet')}
          <Button small onClick={() => change({ password: '' })}>
            {t('data.passwordChange')}
          </Button>
        </span>
      </div>
    )
  return (
    <TextField
      label={t('login.password')}
      hint={t('data.passwordHint')}
      type="password"
      autocomplete="new-password"
      value={draft.password}
      onValue={(password) => change({ password })}
      error={failure?.at('/connection/password')}
    />
  )
}
