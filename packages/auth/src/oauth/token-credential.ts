import type { AuthCredential } from '@thole/core';
import type * as oauth from 'oauth4webapi';

/** Returns the credential to store. Tokens that the response does not contain are copied from `earlier`. */
export function toTokenCredential(
  tokens: oauth.TokenEndpointResponse,
  p: {
    authType: AuthCredential['authType'];
    clientId: string;
    /** In seconds since the epoch. */
    requestedAt: number;
    earlier?: AuthCredential | undefined;
  },
): AuthCredential {
  const { access_token: accessToken, expires_in: expiresIn } = tokens;
  const refreshToken = tokens.refresh_token ?? p.earlier?.oauth2?.refreshToken;
  const idToken = tokens.id_token ?? p.earlier?.oauth2?.idToken;
  return {
    authType: p.authType,
    oauth2: {
      clientId: p.clientId,
      accessToken,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(idToken !== undefined && { idToken }),
      ...(expiresIn !== undefined && { expiresIn, expiresAt: p.requestedAt + expiresIn }),
    },
  };
}

/** Returns the part of a credential that a tool needs: tokens for its API, without refresh token and client secret. */
export function toToolCredential(credential: AuthCredential): AuthCredential {
  const { oauth2 } = credential;
  if (!oauth2) return credential;
  const { clientId, accessToken, idToken, expiresAt } = oauth2;
  return {
    authType: credential.authType,
    oauth2: {
      ...(clientId !== undefined && { clientId }),
      ...(accessToken !== undefined && { accessToken }),
      ...(idToken !== undefined && { idToken }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
}

/**
 * True if the credential can be used now and for the next `leewaySeconds`, or for half of its lifetime if that is less.
 * A token without `expiresAt` counts as valid.
 */
export function isFresh({ oauth2 }: AuthCredential, now: number, leewaySeconds: number): boolean {
  if (!oauth2) return true;
  if (oauth2.accessToken === undefined) return false;
  const leeway = Math.min(leewaySeconds, (oauth2.expiresIn ?? Infinity) / 2);
  return oauth2.expiresAt === undefined || oauth2.expiresAt - leeway > now;
}
