{{- define "reissue.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Cut so that "-management" and the like still fit into 63 characters. */}}
{{- define "reissue.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "reissue.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "reissue.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which objects find pods: they never change in the life of a release. */}}
{{- define "reissue.instanceLabels" -}}
app.kubernetes.io/name: {{ include "reissue.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "reissue.selectorLabels" -}}
{{ include "reissue.instanceLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "reissue.labels" -}}
{{ include "reissue.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "reissue.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "reissue.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "reissue.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* Name and key of the Secret with a URI: {"name": .., "key": ..} as JSON. */}}
{{- define "reissue.secret" -}}
{{- $of := index .root.Values .server -}}
{{- if $of.uri -}}
{{- if not (regexMatch (ternary "^(postgresql|postgres)://." "^rediss?://." (eq .server "postgres")) $of.uri) -}}
{{- /* Without the value: it may hold a password. */ -}}
{{- fail (printf "\n\n%s.uri is no URI %s.\n" .server (ternary "postgresql://..." "redis://... or rediss://..." (eq .server "postgres"))) -}}
{{- end -}}
{{- dict "name" (include "reissue.fullname" .root) "key" (printf "%s-uri" .server) | toJson -}}
{{- else if $of.existingSecret.name -}}
{{- pick $of.existingSecret "name" "key" | toJson -}}
{{- else -}}
{{- fail (printf "\n\nSet %s.existingSecret.name (a Secret that holds the URI), or %s.uri.\n" .server .server) -}}
{{- end -}}
{{- end -}}

{{/* How long Kubernetes has to wait: what the pod takes at the most, and a little more. */}}
{{- define "reissue.graceSeconds" -}}
{{- $s := .Values.shutdown -}}
{{- $least := add $s.preStopSeconds (div (add (int $s.pauseMs) (int $s.deadlineMs) 999) 1000) 3 -}}
{{- if eq (int $s.graceSeconds) 0 -}}
{{- $least -}}
{{- else if lt (int $s.graceSeconds) (int $least) -}}
{{- fail (printf "\n\nshutdown.graceSeconds = %d kills pods before they are done: preStopSeconds + pauseMs + deadlineMs and 3 s more are %d.\n" (int $s.graceSeconds) $least) -}}
{{- else -}}
{{- int $s.graceSeconds -}}
{{- end -}}
{{- end -}}

{{/* The settings as one YAML file: the user's, and over them what the chart answers for. */}}
{{- define "reissue.config" -}}
{{- $own := dict
      "http" (dict "host" "0.0.0.0" "port" 8080)
      "management" (dict "host" "0.0.0.0" "port" (int .Values.management.port))
      "auth" (dict "required" .Values.auth.required "allowOpen" (not .Values.auth.required) "bootstrapTenant" .Values.auth.tenant)
      "postgres" (dict "migrate" (eq .Values.migrations.by "on-start"))
      "shutdown" (dict "pauseMs" (int .Values.shutdown.pauseMs) "deadlineMs" (int .Values.shutdown.deadlineMs)) -}}
{{- if .Values.cluster.enabled -}}
{{- $_ := set $own "cluster" (dict
      "enabled" true
      "name" (include "reissue.fullname" .)
      "discovery" "kubernetes"
      "kubernetesService" (printf "%s-cluster.%s.svc" (include "reissue.fullname" .) .Release.Namespace)
      "host" "0.0.0.0"
      "port" (int .Values.cluster.port)) -}}
{{- end -}}
{{- range $path := list "postgres.uri" "redis.uri" -}}
{{- $section := index (splitList "." $path) 0 -}}
{{- if hasKey (index $.Values.config $section | default dict) "uri" -}}
{{- fail (printf "\n\nconfig.%s would stand in a ConfigMap: use %s.uri or %s.existingSecret.\n" $path $section $section) -}}
{{- end -}}
{{- end -}}
{{- if hasKey (.Values.config.auth | default dict) "bootstrapKey" -}}
{{- fail "\n\nconfig.auth.bootstrapKey would stand in a ConfigMap: use auth.existingSecret.\n" -}}
{{- end -}}
{{- if hasKey .Values.config "roles" -}}
{{- fail "\n\nconfig.roles is set by recycler.separate.\n" -}}
{{- end -}}
{{- mustMergeOverwrite (deepCopy .Values.config) $own | toYaml -}}
{{- end -}}

{{/* How a port is spoken to: {"root": $, "port": "http" | "management"}. */}}
{{- define "reissue.scheme" -}}
{{- $tls := dig .port "tlsCertFile" "" .root.Values.config -}}
{{- ternary "https" "http" (ne $tls "") -}}
{{- end -}}

{{/* The pod of a component: {"root": $, "component": "issuer" | "recycler", "roles": "issue,recycle", "resources": ..}. */}}
{{- define "reissue.pod" -}}
{{- $v := .root.Values -}}
metadata:
  labels:
    {{- include "reissue.labels" . | nindent 4 }}
    {{- with $v.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include (print .root.Template.BasePath "/configmap.yaml") .root | sha256sum }}
    {{- if or $v.postgres.uri $v.redis.uri }}
    checksum/secret: {{ include (print .root.Template.BasePath "/secret.yaml") .root | sha256sum }}
    {{- end }}
    {{- with $v.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "reissue.serviceAccountName" .root }}
  automountServiceAccountToken: false
  # A Service called reissue would bring REISSUE_PORT and the like, which are no settings and would stop the start.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "reissue.graceSeconds" .root }}
  {{- with $v.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml $v.podSecurityContext | nindent 4 }}
  containers:
    - name: reissue
      image: {{ include "reissue.image" .root }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      args: [serve, --config, /etc/reissue/reissue.yaml]
      ports:
        {{- if eq .component "issuer" }}
        - name: http
          containerPort: 8080
        {{- end }}
        - name: management
          containerPort: {{ $v.management.port }}
        {{- if $v.cluster.enabled }}
        - name: cluster
          containerPort: {{ $v.cluster.port }}
        {{- end }}
      env:
        - name: REISSUE_ROLES
          value: {{ .roles }}
        {{- range $server, $variable := dict "postgres" "REISSUE_POSTGRES_URI" "redis" "REISSUE_REDIS_URI" }}
        - name: {{ $variable }}
          valueFrom:
            secretKeyRef:
              {{- include "reissue.secret" (dict "root" $.root "server" $server) | fromJson | toYaml | nindent 14 }}
        {{- end }}
        {{- if and $v.auth.required $v.auth.existingSecret.name }}
        - name: REISSUE_AUTH_BOOTSTRAP_KEY
          valueFrom:
            secretKeyRef:
              {{- pick $v.auth.existingSecret "name" "key" | toYaml | nindent 14 }}
        {{- end }}
        {{- if $v.cluster.enabled }}
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        - name: REISSUE_CLUSTER_ADVERTISE
          value: $(POD_IP):{{ $v.cluster.port }}
        {{- end }}
        {{- with $v.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      startupProbe:
        httpGet:
          path: /health/live
          port: management
          scheme: {{ include "reissue.scheme" (dict "root" .root "port" "management") | upper }}
        periodSeconds: 2
        failureThreshold: {{ max 1 (div (int $v.probes.startupSeconds) 2) }}
      livenessProbe:
        httpGet:
          path: /health/live
          port: management
          scheme: {{ include "reissue.scheme" (dict "root" .root "port" "management") | upper }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: {{ max 1 (div (int $v.probes.livenessSeconds) 10) }}
      readinessProbe:
        httpGet:
          path: /health/ready
          port: management
          scheme: {{ include "reissue.scheme" (dict "root" .root "port" "management") | upper }}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: {{ max 1 (div (int $v.probes.readinessSeconds) 2) }}
      {{- if $v.shutdown.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ $v.shutdown.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      securityContext:
        {{- toYaml $v.securityContext | nindent 8 }}
      volumeMounts:
        - name: config
          mountPath: /etc/reissue
          readOnly: true
        - name: config
          mountPath: /app/conf/jvm.options
          subPath: jvm.options
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- with $v.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "reissue.fullname" .root }}
    # Native libraries are unpacked here.
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
    {{- with $v.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $v.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $v.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $v.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "reissue.selectorLabels" $ | nindent 10 }}
      # Pods of the revision that is being replaced don't count.
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
{{- end -}}
