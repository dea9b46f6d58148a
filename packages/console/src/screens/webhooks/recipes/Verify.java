import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verify {
    /** headers: names in lower case. body: the bytes as they came. secret: whsec_... */
    static boolean isGenuine(Map<String, String> headers, byte[] body, String secret) throws GeneralSecurityException {
        String id = headers.getOrDefault("webhook-id", "");
        String timestamp = headers.getOrDefault("webhook-timestamp", "");
        // Five minutes: an old delivery that somebody has recorded is refused.
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        // Two signatures while a secret is being rotated: one that matches is enough.
        for (String given : headers.getOrDefault("webhook-signature", "").split(" "))
            if (MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) return true;
        return false;
    }
}
