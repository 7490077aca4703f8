import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useGet, useUrl } from '../../api/resource.ts'
import { user as signedIn } from '../../api/session.ts'
import { Button, SelectField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { t } from '../../language/t.ts'
import { Chain } from './chain.tsx'
import { Everybody } from './everybody.tsx'
import { GrantForm } from './grant-form.tsx'
import { objectText, verdictSentence } from './rights.ts'
import type { Place } from './rights.ts'
import { Verdict } from './verdict.tsx'

const ROOT = { type: 'group', id: 1 } as const

/** The rights of users on an object, and the grants that decide them. */
export function Explain(): JSX.Element {
  const { query } = useLocation()
  const me = signedIn.value
  const userId = Number(query['userId'] ?? me?.id ?? 0)
  const type = (query['type'] ?? ROOT.type) as Found['type']
  const id = Number(query['id'] ?? ROOT.id)
  const users = useGet('/users', me?.role === 'administrator' ? {} : null)
  const choices = users.data ?? (me ? [me] : [])
  const name = choices.find((one) => one.id === userId)?.fullname || undefined
  const [isGranting, setGranting] = useState(false)
  const [round, setRound] = useState(0)
  const object = useUrl<Found>(`/${type}s/${id}`)
  const explanation = useGet('/{objectType}/{objectId}/permissions/explain', {
    path: { objectType: type, objectId: id },
    query: { userId },
  })
  const place: Place = { type, id, name: objectText({ id, name: object.data?.name ?? '' }) }
  const changed = (): void => {
    explanation.reload()
    setRound(round + 1)
  }
  const refused = me?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  return (
    <>
      <Question userId={userId} users={choices} place={place} found={object.data} />
      <Show resource={explanation} what={t('users.explainFailed')}>
        {(data) => (
          <>
            <Card
              title={verdictSentence(name ?? data.user.username, place.name, data.permissions)}
              class="answer"
            >
              <Verdict explanation={data} />
            </Card>
            <Card
              title={t('users.chain')}
              note={t('users.chainNote')}
              actions={
                <Button small icon="plus" refused={refused} onClick={() => setGranting(true)}>
                  {t('users.grant')}
                </Button>
              }
            >
              <div class="pad">
                <Chain explanation={data} place={place} refused={refused} onChange={changed} />
              </div>
            </Card>
            {isGranting && (
              <GrantForm place={place} userId={userId} onDone={changed} onClose={() => setGranting(false)} />
            )}
          </>
        )}
      </Show>
      {me?.role === 'administrator' && <Everybody key={round} place={place} userId={userId} />}
    </>
  )
}

type QuestionProps = {
  readonly userId: number
  readonly users: readonly { readonly id: number; readonly username: string; readonly fullname: string }[]
  readonly place: Place
  readonly found: Found | undefined
}

/** The question as a sentence with two pickers. */
function Question({ userId, users, place, found }: QuestionProps): JSX.Element {
  const { route } = useLocation()
  const ask = (change: { userId?: number; type?: string; id?: number }): void =>
    route(linkTo('users/explain', { userId, type: place.type, id: place.id, ...change }))
  const [wanted, setWanted] = useState(false)
  const isRoot = place.id === ROOT.id
  return (
    <Card class="question">
      <div class="pad ask">
        <span class="word">{t('users.ask.what')}</span>
        <SelectField
          label={t('users.ask.user')}
          value={String(userId)}
          onValue={(value) => ask({ userId: Number(value) })}
          options={users.map(({ id, username, fullname }) => ({
            value: String(id),
            text: fullname ? `${fullname} (${username})` : username,
          }))}
        />
        <span class="word">{t('users.ask.with')}</span>
        {wanted || (!isRoot && found !== undefined) ? (
          <ObjectPicker
            key={place.id}
            label={t('users.ask.object')}
            value={isRoot || found === undefined ? null : { ...found, type: place.type, path: '' }}
            onChange={({ type, id }) => ask({ type, id })}
          />
        ) : (
          <div class="field">
            <span class="lab">{t('users.ask.object')}</span>
            <Button icon="group" onClick={() => setWanted(true)}>
              {isRoot ? t('users.ask.root') : place.name}
              <Icon name="chevronDown" />
            </Button>
          </div>
        )}
        <span class="word">{t('users.ask.why')}</span>
        {!isRoot && (
          <span class="row end">
            <a href={objectLink(place.type, place.id)}>{t('users.openObject')}</a>
            <Button small onClick={() => ask(ROOT)}>
              {t('kit.root')}
            </Button>
          </span>
        )}
      </div>
    </Card>
  )
}
