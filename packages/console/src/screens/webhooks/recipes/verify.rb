require "base64"
require "openssl"

# headers: names in lower case. body: the bytes as they came. secret: whsec_...
def genuine?(headers, body, secret)
  id = headers["webhook-id"].to_s
  timestamp = headers["webhook-timestamp"].to_s
  # Five minutes: an old delivery that somebody has recorded is refused.
  return false unless timestamp.match?(/\A[0-9]{1,12}\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  key = Base64.strict_decode64(secret.delete_prefix("whsec_"))
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{Base64.strict_encode64(digest)}"
  # Two signatures while a secret is being rotated: one that matches is enough.
  headers["webhook-signature"].to_s.split(" ").any? { |given| OpenSSL.secure_compare(expected, given) }
end
