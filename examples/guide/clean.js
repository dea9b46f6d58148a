/** @param {{ name: string, email: string, phone: string }} row */
export default (row) => ({
  email: row.email.trim().toLowerCase(),
  phone: row.phone.replaceAll(/[^+\d]/g, ""),
  name: row.name
    .trim()
    .split(/\s+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join(" "),
});
