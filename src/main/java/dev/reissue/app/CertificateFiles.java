package dev.reissue.app;

import dev.reissue.config.Config;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The files of a port's certificate as they were read at one moment. They are used only where they belong together: somebody who
 * replaces them one after the other is not to be caught in between. Immutable, any thread; reading blocks.
 *
 * @param certificate the PEM text of the certificate and its chain
 * @param key the PEM text of its private key
 * @param clientCa the PEM text of the authorities of callers; null where callers need no certificate
 * @param notAfter when the certificate ends
 */
record CertificateFiles(
        Buffer certificate, Buffer key, @Nullable Buffer clientCa, Instant notAfter) {
    private static final List<String> KEY_TYPES = List.of("RSA", "EC", "EdDSA");
    private static final byte[] PROBE = "belongs together".getBytes(StandardCharsets.US_ASCII);

    /**
     * Reads and checks the files.
     *
     * @throws IOException with a message for the operator: a file cannot be read, is not PEM, or key and certificate do not match
     */
    static CertificateFiles read(Vertx vertx, Config.Tls files) throws IOException {
        Buffer certificate = bytes(files.certFile());
        Buffer key = bytes(files.keyFile());
        Buffer clientCa = files.clientCaFile().isEmpty() ? null : bytes(files.clientCaFile());
        try {
            X509Certificate leaf = check(vertx, certificate, key);
            if (clientCa != null) {
                new PemTrustOptions().addCertValue(clientCa).getTrustManagerFactory(vertx);
            }
            return new CertificateFiles(
                    certificate, key, clientCa, leaf.getNotAfter().toInstant());
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            // Vert.x declares Exception: whatever it is, the files cannot be used.
            throw new IOException(files.certFile() + ", " + files.keyFile() + ": " + e.getMessage(), e);
        }
    }

    /** Tells whether these are the same files, byte by byte. */
    boolean same(CertificateFiles other) {
        return certificate.equals(other.certificate)
                && key.equals(other.key)
                && Objects.equals(clientCa, other.clientCa);
    }

    ServerSSLOptions toOptions() {
        ServerSSLOptions options = new ServerSSLOptions();
        options.setKeyCertOptions(keyCert(certificate, key)).setUseAlpn(true);
        if (clientCa != null) {
            options.setTrustOptions(new PemTrustOptions().addCertValue(clientCa))
                    .setClientAuth(ClientAuth.REQUIRED);
        }
        return options;
    }

    private static PemKeyCertOptions keyCert(Buffer certificate, Buffer key) {
        return new PemKeyCertOptions().addCertValue(certificate).addKeyValue(key);
    }

    private static Buffer bytes(String file) throws IOException {
        return Buffer.buffer(Files.readAllBytes(Path.of(file)));
    }

    private static X509Certificate check(Vertx vertx, Buffer certificate, Buffer key) throws Exception {
        for (KeyManager manager :
                keyCert(certificate, key).getKeyManagerFactory(vertx).getKeyManagers()) {
            if (manager instanceof X509KeyManager pairs) {
                String alias = KEY_TYPES.stream()
                        .flatMap(type -> names(pairs, type).stream())
                        .findFirst()
                        .orElseThrow(() -> new IOException("no RSA, EC or EdDSA key is in the key file"));
                X509Certificate leaf = pairs.getCertificateChain(alias)[0];
                if (!matches(pairs.getPrivateKey(alias), leaf)) {
                    throw new IOException("the private key is not that of the certificate");
                }
                return leaf;
            }
        }
        throw new IOException("no key was found");
    }

    private static List<String> names(X509KeyManager pairs, String type) {
        String[] aliases = pairs.getServerAliases(type, null);
        return aliases == null ? List.of() : Arrays.asList(aliases);
    }

    private static boolean matches(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        signer.update(PROBE);
        byte[] signed = signer.sign();
        Signature verifier = Signature.getInstance(algorithm);
        verifier.initVerify(certificate.getPublicKey());
        verifier.update(PROBE);
        try {
            return verifier.verify(signed);
        } catch (GeneralSecurityException e) {
            // A signature of another length or form: made by another key.
            return false;
        }
    }
}
