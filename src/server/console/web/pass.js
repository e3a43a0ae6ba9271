// This browser's pass, which signs in its tabs without the key. Its id is in local storage; its
// other half is a cookie that no script can read. Neither is valid without the other, and the key
// is not stored.

const ID = "surefire-browser";

// The id of the pass, or `null`.
export const storedPass = () => localStorage.getItem(ID);

// Whether this is the id of a pass rather than a key.
export const isPass = (credential) => credential?.startsWith("browser-") ?? false;

// Gets a pass in exchange for the key, and replaces the stored one.
export async function renew(api) {
  const old = storedPass();
  const id = await api.newPass();
  localStorage.setItem(ID, id);
  if (old) await api.forgetPass(old);
}

// Deletes this pass: its id and its cookie. A newer pass, from another tab, stays.
export async function forget(api, id) {
  if (storedPass() === id) localStorage.removeItem(ID);
  if (id) await api.forgetPass(id);
}

// Calls `changed` with the id when another tab gets a pass, and with `null` when it deletes one.
export function watch(changed) {
  addEventListener("storage", ({ key, newValue }) => {
    // There is no `key` if all of the storage was cleared.
    if (key === ID || key === null) changed(newValue);
  });
}
