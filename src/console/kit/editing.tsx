import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { callVersioned } from '../api/client.ts'
import type { Answer, Call, Route, Target } from '../api/client.ts'
import { Failure } from '../api/failure.ts'
import { t } from '../language/t.ts'
import { background, useSubmit } from './background.ts'
import { Button } from './controls.tsx'
import { Card, Table } from './data.tsx'
import { FailureNote, Note } from './feedback.tsx'
import { Refusals } from './overlays.tsx'
import { toast } from './toasts.ts'
import { changedFields, differences, merged } from './versions.ts'
import type { Version } from './versions.ts'

type How<T, D> = {
  readonly draftOf: (object: T) => D
  /** Saves the draft with `If-Match`, and returns the version that follows. */
  readonly send: (base: Version<T>, draft: D) => Promise<Version<T>>
  /** Reads the stored version, after another user has saved. */
  readonly read: () => Promise<Version<T>>
}

/** How an object is edited that one route reads and, by PATCH, changes.
 * @param how.bodyOf the changed fields as the API takes them
 * @param how.saved called after a save */
export function patchedBy<R extends Route, D extends object>(
  route: R,
  target: Target<R>,
  {
    draftOf,
    bodyOf,
    saved,
  }: {
    readonly draftOf: (object: Answer<R>) => D
    readonly bodyOf: (before: D, draft: D) => object
    readonly saved: () => void
  },
): How<Answer<R>, D> {
  return {
    draftOf,
    read: async () => {
      const { data, etag } = await callVersioned('get', route, target as Call<R, 'get'>)
      return { object: data, etag }
    },
    send: async ({ object, etag: ifMatch }, draft) => {
      const change = { ...target, body: bodyOf(draftOf(object), draft), ifMatch }
      const { data, etag } = await callVersioned('patch', route, change as unknown as Call<R, 'patch'>)
      saved()
      return { object: data as Answer<R>, etag }
    },
  }
}

/** A configuration while it is edited. */
export type Editing<T, D> = How<T, D> & {
  /** The version that the user began with; it decides about conflicts. */
  readonly base: Version<T>
  /** The version that was read last. */
  readonly latest: Version<T>
  readonly draft: D
  readonly isChanged: boolean
  readonly isBusy: boolean
  readonly failure: Failure | null
  readonly change: (part: Partial<D> | ((now: D) => Partial<D>)) => void
  readonly begin: (version: Version<T>, keep?: D) => void
  readonly save: (event?: Event) => void
}

/** Keeps a draft of an object until it is saved. The version that the user began with decides about conflicts. */
export function useEditing<T, D extends object>(version: Version<T>, how: How<T, D>): Editing<T, D> {
  const { draftOf } = how
  const [base, setBase] = useState(version)
  const [draft, setDraft] = useState(() => draftOf(version.object))
  const {
    failure,
    isBusy,
    submit: save,
    forget,
  } = useSubmit(async () => {
    const saved = await sendPast(how, base, draft)
    setBase(saved)
    // The draft keeps changes that the user makes during the save.
    setDraft((now) => merged(draft, draftOf(saved.object), now))
    toast({ text: t('edit.saved') })
  })
  const begin = (next: Version<T>, keep: D = draftOf(next.object)): void => {
    setBase(next)
    setDraft(keep)
    forget()
  }
  const isChanged = Object.keys(changedFields(draftOf(base.object), draft)).length > 0
  const change: Editing<T, D>['change'] = (part) =>
    setDraft((now) => ({ ...now, ...(typeof part === 'function' ? part(now) : part) }))
  return { ...how, base, latest: version, draft, isChanged, isBusy, failure, change, begin, save }
}

/** Saves a draft, also after a change by another user that touched no field of the form.
 * @throws {Failure} */
async function sendPast<T, D extends object>(
  { draftOf, send, read }: How<T, D>,
  base: Version<T>,
  draft: D,
): Promise<Version<T>> {
  try {
    return await send(base, draft)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 412) throw error
    const theirs = await read()
    const touched = changedFields(draftOf(base.object), draftOf(theirs.object))
    if (Object.keys(touched).length > 0) throw error
    return send(theirs, draft)
  }
}

/** The form of a draft: Ctrl+Enter or the button saves.
 * @param missing the right that the user does not have: the fields cannot be changed
 * @param refused why the draft cannot be saved; undefined when it can */
export function EditForm<T, D extends object>({
  editing,
  missing,
  refused = missing,
  aside,
  children,
  ...conflict
}: {
  readonly editing: Editing<T, D>
  readonly missing?: string | undefined
  readonly refused: string | undefined
  /** Above the buttons, beside the form. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
} & Differing<D>): JSX.Element {
  const { failure, isChanged } = editing
  const isOff = !isChanged || refused !== undefined
  const save = (event: Event): void => {
    event.preventDefault()
    if (!isOff) editing.save()
  }
  return (
    <form
      class="editing"
      noValidate
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event)
      }}
    >
      <div class="beside">
        <div class="col">
          {failure?.status === 412 && <Conflict editing={editing} {...conflict} />}
          <fieldset disabled={missing !== undefined}>{children}</fieldset>
        </div>
        <div class="col sticky">
          {missing !== undefined && <Note kind="info">{missing}</Note>}
          {aside}
          <SaveCard editing={editing} refused={refused} />
        </div>
      </div>
    </form>
  )
}

function SaveCard<T, D>({
  editing: { latest, failure, isBusy, isChanged, begin },
  refused,
}: {
  readonly editing: Editing<T, D>
  readonly refused: string | undefined
}): JSX.Element {
  const unchanged = isChanged ? undefined : t('edit.unchanged')
  return (
    <Card>
      <div class="pad col">
        {failure && failure.status !== 412 && failure.errors.length === 0 && (
          <FailureNote failure={failure} what={t('feedback.notDone')} />
        )}
        {failure && failure.errors.length > 0 && <Refusals failure={failure} />}
        {isChanged && refused !== undefined && <Note kind="warning">{refused}</Note>}
        <div class="row">
          <Button kind="primary" type="submit" busy={isBusy} refused={unchanged ?? refused}>
            {t('edit.save')}
          </Button>
          <Button refused={unchanged} onClick={() => begin(latest)}>
            {t('edit.discard')}
          </Button>
        </div>
        <p class="label">{t('edit.versions')}</p>
      </div>
    </Card>
  )
}

/** Why the draft of a page was not stored. After another user's save both versions can be kept. */
export function Unsaved<T, D extends object>({
  editing: { base, failure, draft, draftOf, read, begin },
}: {
  readonly editing: Editing<T, D>
}): JSX.Element | null {
  if (failure === null) return null
  if (failure.status === 412)
    return (
      <Note kind="warning" role="alert">
        <b>{t('edit.conflict')}</b>
        <p>{t('edit.conflictChoice')}</p>
        <div class="row wrap">
          <Button
            kind="primary"
            action={async () => {
              const theirs = await read()
              begin(theirs, merged(draftOf(base.object), draftOf(theirs.object), draft))
            }}
          >
            {t('edit.keepMine')}
          </Button>
          <Button action={() => read().then((theirs) => begin(theirs))}>{t('edit.takeTheirs')}</Button>
        </div>
      </Note>
    )
  return (
    <div class="col">
      {failure.errors.length === 0 ? (
        <FailureNote failure={failure} what={t('feedback.notDone')} />
      ) : (
        <Refusals failure={failure} />
      )}
    </div>
  )
}

type Differing<D> = {
  /** The name of a field in the form. */
  readonly fieldText: (field: keyof D & string) => string
  /** The value of a field for people. */
  readonly valueText: (draft: D, field: keyof D & string) => string
}

/** Another user has saved the object meanwhile: both versions, and the choice between them. */
function Conflict<T, D extends object>({
  editing: { base, draft, draftOf, read, begin },
  fieldText,
  valueText,
}: { readonly editing: Editing<T, D> } & Differing<D>): JSX.Element {
  const [theirs, setTheirs] = useState<Version<T> | null>(null)
  useEffect(() => background(read().then(setTheirs)), [base])
  const before = draftOf(base.object)
  return (
    <Note kind="warning" role="alert">
      <b>{t('edit.conflict')}</b>
      <p>{t('edit.conflictText')}</p>
      {theirs && (
        <>
          <Table
            label={t('edit.conflict')}
            rows={differences({ base: before, theirs: draftOf(theirs.object), mine: draft }, valueText)}
            keyOf={({ field }) => field}
            columns={[
              { key: 'field', title: t('edit.field'), cell: ({ field }) => fieldText(field) },
              {
                key: 'theirs',
                title: t('edit.theirs'),
                cell: (row) => <span class="pre">{row.theirs}</span>,
              },
              {
                key: 'mine',
                title: t('edit.mine'),
                cell: (row) => <span class="pre">{row.isBoth ? <mark>{row.mine}</mark> : row.mine}</span>,
              },
            ]}
          />
          <div class="row wrap">
            <Button
              kind="primary"
              onClick={() => begin(theirs, merged(before, draftOf(theirs.object), draft))}
            >
              {t('edit.keepMine')}
            </Button>
            <Button onClick={() => begin(theirs)}>{t('edit.takeTheirs')}</Button>
          </div>
        </>
      )}
    </Note>
  )
}
