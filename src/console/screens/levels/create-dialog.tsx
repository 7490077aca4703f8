import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { user } from '../../api/session.ts'
import { Button, SelectField, TextField } from '../../kit/controls.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import { ObjectById } from './common-fields.tsx'
import { SLC_TYPES, TermFields } from './container-config.tsx'
import { isNumber, numberOf } from './draft.ts'
import type { LevelType } from './member.ts'
import { UNITS } from './slc-draft.ts'
import type { Unit } from './slc-draft.ts'

const EDITORS: readonly string[] = ['administrator', 'editor']

/** Opens the form of a new service or container. */
export function CreateButton({ type }: { readonly type: LevelType }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const mayEdit = EDITORS.includes(user.value?.role ?? '')
  return (
    <>
      <Button
        small
        icon="plus"
        refused={mayEdit ? undefined : t('levels.needsEditor')}
        onClick={() => setOpen(true)}
      >
        {t(`levels.new.${type}`)}
      </Button>
      {isOpen && <CreateDialog type={type} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Creates a service or a container, and opens its configuration. It asks for the terms that are fixed then. */
function CreateDialog({
  type,
  onClose,
}: {
  readonly type: LevelType
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [form, setForm] = useState({
    name: '',
    parentId: 1,
    subType: 'sla' as (typeof SLC_TYPES)[number],
    limit: '99.5',
    target: '',
    warnAt: '80',
    duration: 'month' as Unit,
    resetInterval: 'month' as Unit,
    timezone: '',
  })
  const change = (part: Partial<typeof form>): void => setForm((now) => ({ ...now, ...part }))
  const create = async (): Promise<void> => {
    const id = type === 'slo' ? await createService(form) : await createContainer(form)
    levelsChanged()
    route(linkTo(`${type}/${id}`, { tab: 'configuration' }))
  }
  const fault = form.name.trim() === '' ? t('levels.noName') : termFault(type, form)
  // A period begins as often as it is long, or more often where periods overlap.
  const resets = UNITS.filter(
    (unit) =>
      unit === form.duration || ((unit === 'day' || unit === 'month') && isShorter(unit, form.duration)),
  )
  return (
    <FormDialog
      title={t(`levels.new.${type}`)}
      submit={t('levels.create')}
      refused={fault}
      wide={type === 'slc'}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('levels.name')}
            value={form.name}
            onValue={(name) => change({ name })}
            error={failure?.at('/name')}
            maxLength={255}
            autofocus
            required
          />
          <ObjectById
            label={t('levels.group')}
            type="group"
            id={form.parentId}
            onChange={(parentId) => change({ parentId })}
          />
          {type === 'slc' && (
            <>
              <TermFields draft={form} failure={failure} onChange={change} />
              <div class="formgrid">
                <SelectField
                  label={t('levels.field.subType')}
                  value={form.subType}
                  onValue={(subType) => change({ subType })}
                  options={SLC_TYPES.map((value) => ({ value, text: t(`levels.slcType.${value}`) }))}
                />
                <SelectField
                  label={t('levels.period')}
                  value={form.duration}
                  onValue={(duration) => change({ duration, resetInterval: duration })}
                  error={failure?.at('/duration')}
                  options={UNITS.map((value) => ({ value, text: t(`levels.duration.${value}`) }))}
                />
                <SelectField
                  label={t('levels.reset')}
                  value={form.resetInterval}
                  onValue={(resetInterval) => change({ resetInterval })}
                  error={failure?.at('/resetInterval')}
                  options={resets.map((value) => ({ value, text: t(`levels.each.${value}`) }))}
                />
                <TextField
                  label={t('levels.timezone')}
                  hint={t('levels.timezoneHint')}
                  value={form.timezone}
                  onValue={(timezone) => change({ timezone })}
                  error={failure?.at('/timezone')}
                />
              </div>
              <p class="quiet">{t('levels.fixed')}</p>
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}

type Terms = {
  readonly name: string
  readonly parentId: number
  readonly subType: (typeof SLC_TYPES)[number]
  readonly limit: string
  readonly target: string
  readonly warnAt: string
  readonly duration: Unit
  readonly resetInterval: Unit
  readonly timezone: string
}

function isShorter(unit: Unit, other: Unit): boolean {
  return UNITS.indexOf(unit) < UNITS.indexOf(other)
}

function termFault(type: LevelType, { limit, target, warnAt }: Terms): string | undefined {
  const isGood = isNumber(limit) && isNumber(warnAt) && (target.trim() === '' || isNumber(target))
  return type === 'slo' || isGood ? undefined : t('levels.badNumber')
}

async function createService({ name, parentId }: Terms): Promise<number> {
  return (await call('post', '/slos', { query: { parentId }, body: { name: name.trim() } })).id
}

async function createContainer(form: Terms): Promise<number> {
  const { parentId, subType, duration, resetInterval, timezone } = form
  const body = {
    name: form.name.trim(),
    subType,
    limit: numberOf(form.limit),
    target: form.target.trim() === '' ? null : numberOf(form.target),
    warnAt: numberOf(form.warnAt),
    duration,
    resetInterval,
    ...(timezone.trim() === '' ? {} : { timezone: timezone.trim() }),
  }
  return (await call('post', '/slcs', { query: { parentId }, body })).id
}
