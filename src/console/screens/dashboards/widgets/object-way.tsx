import { createContext } from 'preact'
import type { ComponentChildren, JSX } from 'preact'
import { useContext } from 'preact/hooks'

import { objectLink } from '../../../kit/location.ts'
import type { ShownObject } from '../dashboard.ts'

/** Whether the readers of the page may open nothing beside it. */
export const IsPublic = createContext(false)

type Props = {
  readonly object: Pick<ShownObject, 'type' | 'id'>
  /** What stands for the content, if that is an icon. */
  readonly label?: string
  readonly class?: string
  readonly style?: Readonly<Record<string, string>>
  readonly 'data-s'?: string
  readonly children: ComponentChildren
}

/** The link to an object; on a public page its content alone. */
export function ObjectWay({ object, label, children, ...rest }: Props): JSX.Element {
  const isPublic = useContext(IsPublic)
  const named = label === undefined ? {} : { 'aria-label': label, title: label }
  if (!isPublic)
    return (
      <a {...rest} {...named} href={objectLink(object.type, object.id)}>
        {children}
      </a>
    )
  return (
    <span {...rest} {...(label === undefined ? {} : { role: 'img', ...named })}>
      {children}
    </span>
  )
}
