import type { UserCaller } from '../../../context.ts'
import { accessTokenIn, basicCredentialsIn, personalTokenIn, sessionIdOf } from '../../../http/credentials.ts'
import { Refusal } from '../../../lib/errors.ts'
import { thenSync } from '../../../lib/maybe-promise.ts'
import type { MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Ports } from '../../../ports/index.ts'
import type { FoundUser } from '../../users/callers.ts'
import { callerOfCredentials, callerOfPersonalToken, callerOfSession, callerOfToken } from './callers.ts'

/** The user that an access token, a personal token, Basic credentials or a session id of the request belongs to.
 * The `Authorization` header wins over a session id.
 * @throws {Refusal} unauthenticated when the request has no valid credentials */
export function authenticateUser(request: Request, ports: Ports): MaybePromise<UserCaller> {
  const authorization = request.headers.get('authorization')
  const found = authorization === null ? bySession(request, ports) : byHeader(request, authorization, ports)
  return thenSync(found, requireFound)
}

function requireFound(caller: UserCaller | null): UserCaller {
  if (!caller) throw new Refusal('unauthenticated', 'The credentials are missing, wrong or no longer valid.')
  return caller
}

function byHeader(request: Request, authorization: string, ports: Ports): FoundUser {
  const token = accessTokenIn(authorization)
  if (token !== undefined) return callerOfToken(ports, token)
  const personal = personalTokenIn(authorization)
  if (personal !== undefined) return callerOfPersonalToken(ports, personal)
  const credentials = basicCredentialsIn(authorization)
  return credentials && callerOfCredentials(ports, credentials, request)
}

function bySession(request: Request, ports: Ports): FoundUser {
  const id = sessionIdOf(request, ports)
  return id === undefined ? null : callerOfSession(ports, id)
}
