"""Posed vertices of glTF files, with numpy only, against three.js in the FBX file that mocap makes of them, and in the
GLB file that it makes of that one: within 1e-5 of the height. Usage: meshes.py FOLDER, with posed_fbx.mjs in it."""
import base64, json, os, struct, subprocess, sys, tempfile
import numpy as np
K={5120:'i1',5121:'u1',5122:'<i2',5123:'<u2',5125:'<u4',5126:'<f4'}
N={'SCALAR':1,'VEC2':2,'VEC3':3,'VEC4':4,'MAT4':16}
class F:
    def __init__(s,p):
        b=open(p,'rb').read()
        if b[:4]==b'glTF':
            n=struct.unpack('<I',b[12:16])[0]; s.j=json.loads(b[20:20+n]); o=20+n
            s.b=[b[o+8:o+8+struct.unpack('<I',b[o:o+4])[0]]] if len(b)>o else []
        else:
            s.j=json.loads(b); s.b=[base64.b64decode(x['uri'].split(',')[1]) if x['uri'].startswith('data:') else open(os.path.join(os.path.dirname(p),x['uri']),'rb').read() for x in s.j['buffers']]
    def view(s,i,off,t,n,count):
        v=s.j['bufferViews'][i]; item=np.dtype(K[t]).itemsize*n; st=v.get('byteStride',item); o=v.get('byteOffset',0)+off
        return np.ndarray((count,n),K[t],s.b[v['buffer']],o,(st,np.dtype(K[t]).itemsize))
    def acc(s,i):
        a=s.j['accessors'][i]; n=N[a['type']]; t=a['componentType']
        x=s.view(a['bufferView'],a.get('byteOffset',0),t,n,a['count']).astype(float) if 'bufferView' in a else np.zeros((a['count'],n))
        if a.get('normalized'): x=x/{5121:255,5123:65535,5120:127,5122:32767}[t]
        if 'sparse' in a:
            q=a['sparse']; x=x.copy()
            x[s.view(q['indices']['bufferView'],q['indices'].get('byteOffset',0),q['indices']['componentType'],1,q['count'])[:,0]]=s.view(q['values']['bufferView'],q['values'].get('byteOffset',0),t,n,q['count'])
        return x
    def trs(s,i,t):
        n=s.j['nodes'][i]; T=np.array(n.get('translation',[0,0,0.]),float);R=np.array(n.get('rotation',[0,0,0,1.]),float);S=np.array(n.get('scale',[1,1,1.]),float)
        if t is None or (i not in s.ch and 'matrix' in n):
            if 'matrix' in n: return np.array(n['matrix'],float).reshape(4,4).T
        if t is not None and i in s.ch:
            for path,(k,v) in s.ch[i].items():
                x=np.clip(t,k[0],k[-1]); a=max(0,min(np.searchsorted(k,x,'right')-1,len(k)-2)); 
                if len(k)==1: r=v[0]
                else:
                    u=(x-k[a])/(k[a+1]-k[a]); p,q=v[a],v[a+1]
                    if path=='rotation':
                        if p@q<0:q=-q
                        w=np.arccos(min(1,p@q/np.linalg.norm(p)/np.linalg.norm(q)))
                        r=p*(1-u)+q*u if w<1e-6 else (np.sin((1-u)*w)*p+np.sin(u*w)*q)/np.sin(w)
                    else: r=p*(1-u)+q*u
                if path=='translation':T=r
                elif path=='rotation':R=r/np.linalg.norm(r)
                elif path=='scale':S=r
        x,y,z,w=R; M=np.eye(4)
        M[:3,:3]=np.array([[1-2*(y*y+z*z),2*(x*y-z*w),2*(x*z+y*w)],[2*(x*y+z*w),1-2*(x*x+z*z),2*(y*z-x*w)],[2*(x*z-y*w),2*(y*z+x*w),1-2*(x*x+y*y)]])*S; M[:3,3]=T
        return M
    def posed(s,t,anim=0):
        s.ch={}
        if t is not None and s.j.get('animations'):
            A=s.j['animations'][anim]
            for c in A['channels']:
                if c['target']['path'] in('translation','rotation','scale'):
                    q=A['samplers'][c['sampler']]; s.ch.setdefault(c['target']['node'],{})[c['target']['path']]=(s.acc(q['input'])[:,0],s.acc(q['output']))
        par={c:i for i,n in enumerate(s.j['nodes']) for c in n.get('children',[])}; W={}
        def world(i):
            if i not in W: W[i]=(world(par[i]) if i in par else np.eye(4))@s.trs(i,t)
            return W[i]
        out=[]
        for i,n in enumerate(s.j['nodes']):
            if 'mesh' not in n: continue
            for p in s.j['meshes'][n['mesh']]['primitives']:
                P=s.acc(p['attributes']['POSITION'])
                P=np.c_[P,np.ones(len(P))]
                if 'skin' in n:
                    k=s.j['skins'][n['skin']]; B=s.acc(k['inverseBindMatrices']).reshape(-1,4,4).transpose(0,2,1)
                    M=np.array([world(j)@b for j,b in zip(k['joints'],B)])
                    V=0;Wt=0
                    for q in range(9):
                        if f'JOINTS_{q}' not in p['attributes']: break
                        J=s.acc(p['attributes'][f'JOINTS_{q}']).astype(int);G=s.acc(p['attributes'][f'WEIGHTS_{q}']);Wt=Wt+G.sum(1)
                        V=V+np.einsum('vk,vkij,vj->vi',G,M[J],P)
                    V=V/Wt[:,None]
                else: V=P@world(i).T
                I=s.acc(p['indices'])[:,0].astype(int) if 'indices' in p else np.arange(len(P))
                out.append(V[I,:3])
        return np.concatenate(out)

corpus = os.environ.get('MOCAP_CORPUS', '../shared/data')
failed = 0
for name in ['gltf/cesium_man.gltf', 'bodies/woman.glb']:
    source = os.path.join(corpus, name)
    if not os.path.exists(source):
        print(f'skipped: {name} is not in the corpus')
        continue
    with tempfile.TemporaryDirectory() as folder:
        fbx, glb = os.path.join(folder, 'a.fbx'), os.path.join(folder, 'a.glb')
        for one, other in [(source, fbx), (fbx, glb)]:
            subprocess.run([os.environ['MOCAP'], 'convert', one, '-o', other], check=True, capture_output=True)
        times = ['0', '0.5', '1']
        subprocess.run(['node', os.path.join(sys.argv[1], 'posed_fbx.mjs'), fbx, fbx, *times], check=True)
        for time in times:
            expected = F(source).posed(float(time))
            height = np.ptp(expected[:, 1])
            of_fbx = np.fromfile(f'{fbx}.{time}.f64').reshape(-1, 3) * 0.01
            for client, found in [('three.js, FBX', of_fbx), ('GLB again', F(glb).posed(float(time)))]:
                off = np.abs(found - expected).max() / height if found.shape == expected.shape else np.inf
                print(f'{name} at {time} s, {client}: {len(found)} corners, {off:.1e} of the height')
                failed |= int(off > 1e-5)
sys.exit(failed)
