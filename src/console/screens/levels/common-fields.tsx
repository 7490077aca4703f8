import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { useUrl } from '../../api/resource.ts'
import { Button, Check, IconButton, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { t } from '../../language/t.ts'
import type { Common, Property } from './draft.ts'

const ROOT_ID = 1

type Props = {
  readonly draft: Common
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Common>) => void
}

/** The fields of all objects: name, kind, group, and whether it is a template.
 * @param children the field of the kind, which differs between services and containers */
export function CommonFields({
  draft,
  failure,
  onChange,
  children,
}: Props & { readonly children: ComponentChildren }): JSX.Element {
  return (
    <Card title={t('levels.general')}>
      <div class="pad formgrid">
        <TextField
          label={t('levels.name')}
          value={draft.name}
          onValue={(name) => onChange({ name })}
          error={failure?.at('/name')}
          maxLength={255}
          required
        />
        {children}
        {draft.parentId !== null && (
          <ObjectById
            label={t('levels.group')}
            type="group"
            id={draft.parentId}
            onChange={(parentId) => onChange({ parentId })}
            error={failure?.at('/parentId')}
          />
        )}
        <Check
          label={t('levels.template')}
          checked={draft.isTemplate}
          onChange={(isTemplate) => onChange({ isTemplate })}
        />
      </div>
    </Card>
  )
}

/** Picks an object of one type where the API takes its id. */
export function ObjectById({
  label,
  type,
  id,
  onChange,
  error,
}: {
  readonly label: string
  readonly type: 'group' | 'device'
  readonly id: number
  readonly onChange: (id: number) => void
  readonly error?: string | undefined
}): JSX.Element {
  const [picked, setPicked] = useState<Found | null>(null)
  const { data, failure } = useUrl<{ readonly name: string }>(
    id === 0 || id === ROOT_ID ? null : `/${type}s/${id}`,
  )
  const name = id === ROOT_ID ? t('kit.root') : (data?.name ?? (failure === null ? undefined : `#${id}`))
  const stored = name === undefined ? null : { id, type, name, path: name }
  const value = picked?.id === id ? picked : stored
  return (
    <ObjectPicker
      // The picker takes the name of another object when it is drawn anew.
      key={value === null ? 'none' : `${value.id} ${value.name}`}
      label={label}
      type={type}
      value={value}
      error={error}
      onChange={(object) => {
        setPicked(object)
        onChange(object.id)
      }}
    />
  )
}

/** The properties of an object, as rows of key and value. */
export function PropertyFields({ draft: { properties }, failure, onChange }: Props): JSX.Element {
  const change = (at: number, part: Partial<Property>): void =>
    onChange({ properties: properties.map((one, index) => (index === at ? { ...one, ...part } : one)) })
  return (
    <Card
      title={t('levels.properties')}
      note={t('levels.propertiesNote')}
      actions={
        <Button
          small
          icon="plus"
          onClick={() => onChange({ properties: [...properties, { key: '', value: '' }] })}
        >
          {t('levels.addProperty')}
        </Button>
      }
    >
      <div class="pad col">
        {properties.length === 0 && <p class="quiet">{t('levels.noProperties')}</p>}
        {properties.map(({ key, value }, at) => (
          <div key={at} class="row end-aligned">
            <TextField
              class="grow"
              label={t('levels.key')}
              value={key}
              onValue={(text) => change(at, { key: text })}
              error={failure?.at(`/properties/${at}/key`)}
            />
            <TextField
              class="grow"
              label={t('levels.value')}
              value={value}
              onValue={(text) => change(at, { value: text })}
              error={failure?.at(`/properties/${at}/value`)}
            />
            <IconButton
              icon="close"
              label={t('levels.removeProperty', { key })}
              onClick={() => onChange({ properties: properties.filter((_, index) => index !== at) })}
            />
          </div>
        ))}
      </div>
    </Card>
  )
}
