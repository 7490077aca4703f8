import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, Field, TextField } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { language as shown, LANGUAGES, t } from '../../language/t.ts'
import { refusedToChange } from './rights.ts'

type Text = { readonly key: string; readonly text: string }
const ROUTE = '/translations/{language}'

/** The texts of a language that replace the console's own, or that dashboards and pages use. */
export function Translations(): JSX.Element {
  const languages = useGet('/translations', {})
  const [language, setLanguage] = useQuery<string>('language', shown.value)
  const [search, setSearch] = useQuery<string>('text', '')
  const [edited, setEdited] = useState<Text | null>(null)
  const texts = useGet(ROUTE, { path: { language } })
  const refused = refusedToChange()
  const known = [...new Set([...LANGUAGES, ...(languages.data ?? []).map((one) => one.language), language])]
  const set = async (key: string, text: string | null): Promise<void> => {
    await call('post', ROUTE, { path: { language }, body: { texts: [{ key, text }] } })
    invalidate('/translations')
  }
  const remove = async ({ key, text }: Text): Promise<void> => {
    await set(key, null)
    toast({ text: t('content.removed', { key }), undo: () => set(key, text) })
  }
  const add = (
    <Button icon="plus" refused={refused} onClick={() => setEdited({ key: '', text: '' })}>
      {t('content.addText')}
    </Button>
  )
  return (
    <>
      <div class="pad row wrap">
        <select
          class="input language"
          aria-label={t('content.language')}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
        >
          {known.map((one) => (
            <option key={one} value={one}>
              {nameOf(one)}
            </option>
          ))}
        </select>
        <input
          class="input search-box"
          type="search"
          aria-label={t('content.searchTexts')}
          placeholder={t('content.searchTexts')}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <span class="end">{add}</span>
      </div>
      <Show resource={texts} what={t('content.failedTexts')}>
        {({ texts: all }) => {
          const hits = all.filter(({ key, text }) => isHit(`${key} ${text}`, search))
          if (all.length === 0) return <Empty title={t('content.noTexts')} text={t('content.noTextsText')} />
          if (hits.length === 0)
            return (
              <Empty
                title={t('content.noMatch')}
                action={<Button onClick={() => setSearch('')}>{t('content.clearSearch')}</Button>}
              />
            )
          return (
            <Table<Text>
              label={t('content.translations')}
              rows={hits}
              keyOf={({ key }) => key}
              columns={[
                { key: 'key', title: t('content.key'), cell: ({ key }) => <code>{key}</code> },
                { key: 'text', title: t('content.text'), cell: ({ text }) => text },
                {
                  key: 'actions',
                  title: <span class="vh">{t('content.actions')}</span>,
                  cell: (text) => (
                    <span class="row wrap">
                      <Button
                        small
                        refused={refused}
                        aria-label={t('content.changeName', { name: text.key })}
                        onClick={() => setEdited(text)}
                      >
                        {t('content.change')}
                      </Button>
                      <Button
                        small
                        refused={refused}
                        aria-label={t('content.removeName', { name: text.key })}
                        action={() => remove(text)}
                      >
                        {t('content.remove')}
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }}
      </Show>
      {edited && <TextForm initial={edited} onSave={set} onClose={() => setEdited(null)} />}
    </>
  )
}

type FormProps = {
  readonly initial: Text
  readonly onSave: (key: string, text: string) => Promise<void>
  readonly onClose: () => void
}

function TextForm({ initial, onSave, onClose }: FormProps): JSX.Element {
  const [key, setKey] = useState(initial.key)
  const [text, setText] = useState(initial.text)
  const title = t(initial.key === '' ? 'content.addText' : 'content.changeText')
  return (
    <FormDialog
      title={title}
      submit={t('content.save')}
      refused={key === '' ? t('content.needsKey') : undefined}
      onSubmit={() => onSave(key, text)}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('content.key')}
            hint={t('content.keyHint')}
            value={key}
            onValue={setKey}
            error={failure?.at('/texts/0/key')}
            readOnly={initial.key !== ''}
            spellcheck={false}
          />
          <Field label={t('content.text')} error={failure?.at('/texts/0/text')}>
            {(attributes) => (
              <textarea
                class="input"
                rows={4}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
                {...attributes}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  )
}

function isHit(text: string, search: string): boolean {
  return text.toLowerCase().includes(search.toLowerCase())
}

function nameOf(language: string): string {
  try {
    return new Intl.DisplayNames(shown.value, { type: 'language' }).of(language) ?? language
  } catch {
    return language
  }
}
